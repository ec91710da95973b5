// Which page shows what a count of a finding's evidence counts. A count leads somewhere only where the filters there select what
// was counted: others stay plain text rather than lead to another number.
import type { AdviceRow } from '../../../../src/contract/advice.ts';
import { sessionsPath, toCalls } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { toOwnView } from './to-own-view.ts';

/** Of the calls that failed as the finding says. */
const OF_FAILURES: readonly string[] = [
  ...['failures', 'refused', 'invalid', 'incomplete', 'violations', 'withoutCode', 'leaking'],
];

type Evidence = Pick<AdviceRow, 'server' | 'tool' | 'calls' | 'counts'>;

/** @returns undefined where no list holds just what is counted */
export function prepareEvidencePath(row: Evidence, name: string, view: View): string | undefined {
  const { server, calls } = row;
  if (calls === null || calls.tool === '') return undefined;
  const of = { server, tool: calls.tool };
  if (name === 'calls') return toCalls(view, of);
  if (name === 'sessions') return sessionsPath(toOwnView(view, of));
  if (!isOfFailures(row.counts, name)) return undefined;
  const { tool: _, ...filters } = calls;
  const asked = Object.entries(filters).filter(([, value]) => value !== null);
  if (asked.length === 0) return undefined;
  return toCalls(view, { ...of, errors: 'true', ...Object.fromEntries(asked) });
}

/** `errors` are all errors of the tool's own, and the filters of the finding select them where it is about each of them. */
function isOfFailures(counts: Evidence['counts'], name: string): boolean {
  if (OF_FAILURES.includes(name)) return true;
  return (
    name === 'errors' &&
    OF_FAILURES.every((other) => (counts[other] ?? counts['errors']) === counts['errors'])
  );
}
