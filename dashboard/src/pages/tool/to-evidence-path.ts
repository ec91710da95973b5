// Which page shows what a count of a finding's evidence counts. A count leads somewhere only where the filters there select what
// was counted: others stay plain text rather than lead to another number.
import type { AdviceRow } from '../../../../src/contract/advice.ts';
import { countedCallsPath, sessionsPath } from '../../paths.ts';
import { toToolView } from '../../view/to-tool-view.ts';
import type { View } from '../../view/view.ts';

/** Of the calls that failed as the finding says. */
const FAILURE_COUNTS: readonly string[] = [
  ...['failures', 'refused', 'invalid', 'incomplete', 'violations', 'withoutCode', 'leaking'],
];

type EvidenceRow = Pick<AdviceRow, 'server' | 'tool' | 'calls' | 'counts'>;

/** @returns undefined where no list holds just what is counted */
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

/** `errors` are all errors of the tool's own, and the filters of the finding select them where it is about each of them. */
function countsFailures(counts: EvidenceRow['counts'], name: string): boolean {
  if (FAILURE_COUNTS.includes(name)) return true;
  return (
    name === 'errors' &&
    FAILURE_COUNTS.every((other) => (counts[other] ?? counts['errors']) === counts['errors'])
  );
}
