// What the overview asks beside its verdict, as one hook each.
import {
  AttentionAnswer,
  ClientsAnswer,
  ProtocolsAnswer,
  TrendAnswer,
} from '../../../src/contract/overview.ts';
import type { View } from '../view/view.ts';
import { toQuery, useQuestion } from './questions.ts';

export function useAttention(view: View) {
  return useQuestion('attention', AttentionAnswer, toQuery(view));
}

export function useClients(view: View) {
  return useQuestion('clients', ClientsAnswer, toQuery(view));
}

export function useProtocols(view: View) {
  return useQuestion('protocols', ProtocolsAnswer, toQuery(view));
}

export function useTrend(view: View) {
  return useQuestion('trend', TrendAnswer, toQuery(view));
}
