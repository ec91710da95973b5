// React contexts for the page's LiveRefresh and ServiceMonitor, which main.tsx creates.
import { QueryClient } from '@tanstack/react-query';
import { createContext } from 'react';
import { LiveRefresh } from './api/live-refresh.ts';
import { ServiceMonitor } from './api/service-monitor.ts';

const monitor = new ServiceMonitor();

export const ServiceMonitorContext = createContext(monitor);
export const LiveContext = createContext(new LiveRefresh(new QueryClient(), monitor));
