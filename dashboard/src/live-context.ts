// The one LiveRefresh and the one ServiceWatch of the page, made in main.tsx.
import { QueryClient } from '@tanstack/react-query';
import { createContext } from 'react';
import { LiveRefresh } from './api/live.ts';
import { ServiceWatch } from './api/service-watch.ts';

const watch = new ServiceWatch();

export const ServiceWatchContext = createContext(watch);
export const LiveContext = createContext(new LiveRefresh(new QueryClient(), watch));
