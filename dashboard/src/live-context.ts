// The one LiveRefresh and the one ServiceWatch of the page, made in main.tsx.
import { QueryClient } from '@tanstack/react-query';
import { createContext } from 'react';
import { LiveRefresh } from './api/live.ts';
import { ServiceMonitor } from './api/service-watch.ts';

const monitor = new ServiceMonitor();

export const ServiceMonitorContext = createContext(monitor);
export const LiveContext = createContext(new LiveRefresh(new QueryClient(), monitor));
