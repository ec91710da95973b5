// Which results of a session its later calls took something from, as servers say it. A call may also name a source that is in no row, or
// take only the cursor of a page.
import { type ArgumentOrigin, formatArgumentOrigins } from '../../../src/core/model/argument-origin.ts';
import type { DatasetCall } from './dataset.ts';
import { createCallRandom } from './seeded-calls.ts';

const FIELDS = ['', '["items[].id"]', '["items[].id","items[].name"]', '["text"]'];

const UNKNOWN_ORIGIN: ArgumentOrigin = {
  ...{ path: 'id', kind: 'result' },
  source: { tool: 'gone', path: 'id', use: 'first' },
};

/** @param calls of one session in their order */
export function addResultFlow(calls: readonly DatasetCall[], seed: number): DatasetCall[] {
  const roll = createCallRandom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(roll() * list.length)];
  const used = new Set<string>();
  const toOrigin = (source: DatasetCall): ArgumentOrigin => {
    const origin = { path: 'id', kind: roll() < 0.8 ? 'result' : 'part' } as const;
    const from = { tool: source.tool_name, path: 'items[].id' };
    if (roll() < 0.15) return { ...origin, source: { ...from, use: 'paging' } };
    if (used.has(source.span_id)) return { ...origin, source: { ...from, use: 'again' } };
    used.add(source.span_id);
    return { ...origin, source: { ...from, use: roll() < 0.8 ? 'first' : 'first_page' } };
  };
  return calls.map((call, at) => {
    const result_fields = call.fault === 'none' ? (pick(FIELDS) ?? '') : '';
    const sources = [0, 1].flatMap(() => (roll() < 0.4 ? (pick(calls.slice(0, at)) ?? []) : []));
    const isUnknown = roll() < 0.05;
    const origins: ArgumentOrigin[] = [
      ...(roll() < 0.2 ? [{ path: 'page', kind: 'page' } as const] : []),
      ...(roll() < 0.2 ? [{ path: 'query', kind: 'nowhere' } as const] : []),
      ...sources.map(toOrigin),
      ...(isUnknown ? [UNKNOWN_ORIGIN] : []),
    ];
    return {
      ...call,
      argument_origins: formatArgumentOrigins(origins),
      argument_sources: [
        ...sources.map(({ span_id }) => span_id),
        ...(isUnknown ? ['f'.repeat(16)] : []),
      ].join(','),
      result_fields,
    };
  });
}
