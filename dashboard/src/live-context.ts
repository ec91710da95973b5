// The one LiveRefresh of the page, made in main.tsx.
import { QueryClient } from '@tanstack/react-query';
import { createContext } from 'react';
import { LiveRefresh } from './api/live.ts';

export const LiveContext = createContext(new LiveRefresh(new QueryClient()));
