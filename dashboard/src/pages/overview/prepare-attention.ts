// The link targets of the attention list: each item links to exactly what it is about.
import type { AttentionItem, AttentionKind, AttentionResponse } from '../../../../src/contract/overview.ts';
import { loopsPath, sessionPath, sessionsPath, toolPath, toolsPath } from '../../paths.ts';
import { type View, withFilter } from '../../view/view.ts';

/** More than thirty calls. */
export const MIN_LONG_SESSION_CALLS = 31;

export const ATTENTION_KIND_LABELS: Readonly<Record<AttentionKind, string>> = {
  storm: 'storm',
  looping: 'loop',
  all_failed: 'all failed',
  advice: 'advice',
  missing_tool: 'unknown tool',
  ended_after_error: 'ended in error',
  zero_calls: 'no calls',
  over_thirty: 'over 30 calls',
};

/** The name of an item: a session by its id, a tool or a client by its name. */
export function toAttentionName({ kind, sessionId, tool, client, server }: AttentionItem): string {
  if (kind === 'zero_calls') return client || 'an unnamed client';
  return sessionId || tool || server;
}

export function toAttentionPath(item: AttentionItem, view: View): string {
  const { kind, server, sessionId, tool, client, id } = item;
  const own = withFilter(view, ['server', server]);
  switch (kind) {
    case 'storm':
      return loopsPath(view, { storm: id });
    case 'looping':
      return loopsPath(view, { loop: id });
    case 'advice':
      return tool === '' ? toolsPath(own, { tab: 'advice' }) : toolPath(view, { server, tool });
    case 'missing_tool':
      return toolsPath(own, { tab: 'unknown' });
    case 'zero_calls':
      return sessionsPath(client === '' ? own : withFilter(own, ['client', client]), { maxCalls: '0' });
    case 'all_failed':
    case 'ended_after_error':
    case 'over_thirty':
      return sessionPath(view, { id: sessionId, of: server });
    default:
      return kind satisfies never;
  }
}

/** The number of items of each kind beyond those listed; kinds without any are omitted. */
export function countOmittedItems({
  items,
  totals,
}: AttentionResponse): { kind: AttentionKind; more: number }[] {
  // The keys of the record are the kinds of the contract.
  const kinds = Object.keys(totals) as AttentionKind[];
  return kinds
    .map((kind) => ({ kind, more: totals[kind] - items.filter((item) => item.kind === kind).length }))
    .filter(({ more }) => more > 0);
}

export function toAttentionListPath(kind: AttentionKind, view: View): string {
  switch (kind) {
    case 'storm':
    case 'looping':
      return loopsPath(view);
    case 'advice':
      return toolsPath(view, { tab: 'advice' });
    case 'missing_tool':
      return toolsPath(view, { tab: 'unknown' });
    case 'over_thirty':
      return sessionsPath(view, { minCalls: String(MIN_LONG_SESSION_CALLS), order: 'calls' });
    case 'all_failed':
      return sessionsPath(view, { failed: 'all', order: 'calls' });
    case 'ended_after_error':
      return sessionsPath(view, { ended: 'error', order: 'calls' });
    case 'zero_calls':
      return sessionsPath(view, { maxCalls: '0' });
    default:
      return kind satisfies never;
  }
}
