// The queries of the overview other than its verdict, one hook each.
import {
  AttentionResponse,
  ClientsResponse,
  ProtocolsResponse,
  TrendResponse,
} from '../../../src/contract/overview.ts';
import type { View } from '../view/view.ts';
import { toQueryParams, useApiQuery } from './queries.ts';

export function useAttention(view: View) {
  return useApiQuery('attention', AttentionResponse, toQueryParams(view));
}

export function useClients(view: View) {
  return useApiQuery('clients', ClientsResponse, toQueryParams(view));
}

export function useProtocols(view: View) {
  return useApiQuery('protocols', ProtocolsResponse, toQueryParams(view));
}

export function useTrend(view: View) {
  return useApiQuery('trend', TrendResponse, toQueryParams(view));
}
