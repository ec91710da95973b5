// The state of an error group, from what a person said about it and its failures since.

import type { ErrorGroupRow, ErrorGroupState, StoredErrorGroupMark } from '../../../contract/error-groups.ts';
import { formatIso } from '../../../core/values/date-time64.ts';

/** The failures of a group on one server version after its mark. */
export interface FailuresSinceMark {
  /** Empty if the server sent none. */
  readonly version: string;
  readonly count: number;
  readonly firstUs: number;
}

interface DecidedState {
  readonly state: ErrorGroupState;
  readonly regressed: ErrorGroupRow['regressed'];
}

export function decideState(
  mark: StoredErrorGroupMark | undefined,
  since: readonly FailuresSinceMark[],
  nowMs: number,
): DecidedState {
  if (mark === undefined || mark.mark === 'open') return { state: 'open', regressed: null };
  if (mark.mark === 'ignored')
    return { state: isStillIgnored(mark, since, nowMs) ? 'ignored' : 'open', regressed: null };
  const [first] = since
    .filter(({ version }) => !isOlderVersion(version, mark))
    .sort((one, other) => one.firstUs - other.firstUs);
  if (first === undefined) return { state: 'resolved', regressed: null };
  return { state: 'regressed', regressed: { at: formatIso(first.firstUs), version: first.version } };
}

function isStillIgnored(
  { until, untilCount }: StoredErrorGroupMark,
  since: readonly FailuresSinceMark[],
  nowMs: number,
): boolean {
  if (until !== null && nowMs >= Date.parse(until)) return false;
  return untilCount === null || since.reduce((sum, { count }) => sum + count, 0) < untilCount;
}

/**
 * Whether a version precedes the one with the fix. Versions without an order, such as commit hashes, precede it if the
 * group had failed on them when it was resolved.
 */
function isOlderVersion(version: string, { version: fixedIn, olderVersions }: StoredErrorGroupMark): boolean {
  if (fixedIn === '' || version === '' || version === fixedIn) return false;
  return compareVersions(version, fixedIn) ?? olderVersions.includes(version);
}

const DOTTED_NUMBERS = /^v?(\d+(?:\.\d+)*)(-[\w.]+)?(?:\+.*)?$/;
const NUMERIC = new Intl.Collator('en', { numeric: true });

/** @returns whether the first precedes the second, as in Semantic Versioning; undefined if they have no such form */
function compareVersions(one: string, other: string): boolean | undefined {
  const [own, fixed] = [DOTTED_NUMBERS.exec(one), DOTTED_NUMBERS.exec(other)];
  if (!own || !fixed) return undefined;
  const order = NUMERIC.compare(own[1] ?? '', fixed[1] ?? '');
  if (order !== 0) return order < 0;
  // A pre-release precedes its release.
  return own[2] !== undefined && (fixed[2] === undefined || NUMERIC.compare(own[2], fixed[2]) < 0);
}
