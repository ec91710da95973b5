// The page that shows what an evidence count covers. A count has a link only if the filters of that page
// select exactly the counted calls; otherwise it stays plain text rather than lead to a different number.
import type { AdviceRow } from '../../../../src/contract/advice.ts';
import { countedCallsPath, sessionsPath } from '../../paths.ts';
import { toToolView } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';

/** Counts of calls that failed as the finding describes. */
const FAILURE_COUNTS: readonly string[] = [
  ...['failures', 'refused', 'invalid', 'incomplete', 'violations', 'withoutCode', 'leaking'],
];

type EvidenceRow = Pick<AdviceRow, 'server' | 'tool' | 'calls' | 'counts'>;

/** @returns undefined when no list contains exactly the counted calls */
export function toEvidencePath(row: EvidenceRow, name: string, view: View): string | undefined {
  const { server, calls } = row;
  if (calls === null || calls.tool === '') return undefined;
  const of = { server, tool: calls.tool };
  if (name === 'calls') return countedCallsPath(view, of);
  if (name === 'sessions') return sessionsPath(toToolView(view, of));
  if (!countsFailures(row.counts, name)) return undefined;
  const { tool: _, ...filters } = calls;
  const setFilters = Object.entries(filters).filter(([, value]) => value !== null);
  if (setFilters.length === 0) return undefined;
  return countedCallsPath(view, { ...of, errors: 'true', ...Object.fromEntries(setFilters) });
}

/** `errors` covers all errors of the tool; the finding's filters select them only if all counts are equal. */
function countsFailures(counts: EvidenceRow['counts'], name: string): boolean {
  if (FAILURE_COUNTS.includes(name)) return true;
  return (
    name === 'errors' &&
    FAILURE_COUNTS.every((other) => (counts[other] ?? counts['errors']) === counts['errors'])
  );
}
