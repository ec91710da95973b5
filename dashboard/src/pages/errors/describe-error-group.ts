// The heading of the errors page, and the state of a group in words.
import type {
  ErrorGroupMark,
  ErrorGroupRow,
  ErrorGroupState,
  ErrorGroupsResponse,
} from '../../../../src/contract/error-groups.ts';
import type { IconName } from '../../components/icon.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { formatDateTime, type Zone } from '../../format/format-time.ts';

interface StateBadge {
  readonly icon: IconName;
  readonly title: string;
  /** The look of the badge, as for alerts. */
  readonly look: 'firing' | 'pending' | 'resolved' | 'inactive';
}

export const STATE_BADGES: Readonly<Record<ErrorGroupState, StateBadge>> = {
  regressed: { icon: 'alerts', title: 'failed again after it was resolved', look: 'firing' },
  open: { icon: 'server', title: 'neither resolved nor ignored', look: 'pending' },
  ignored: { icon: 'quiet', title: 'ignored for a time or a number of failures', look: 'inactive' },
  resolved: { icon: 'check', title: 'resolved, and not seen since', look: 'resolved' },
};

/** Example: "1 error group regressed, 4 are open in the last day." */
export function describeErrorGroups({ totals, isWhole }: ErrorGroupsResponse, range: string): string {
  const { regressed, open } = totals;
  const scope = isWhole ? '' : ' Only the 1,000 most frequent are listed.';
  if (regressed + open === 0) return `No unresolved error groups ${range}.${scope}`;
  const groups = formatPlural(regressed > 0 ? regressed : open, 'error group');
  const openText = open === 0 ? 'none is open' : `${formatCount(open)} ${open === 1 ? 'is' : 'are'} open`;
  if (regressed > 0) return `${groups} regressed, ${openText} ${range}.${scope}`;
  return `${groups} ${open === 1 ? 'is' : 'are'} open ${range}.${scope}`;
}

/** Example: "Resolved in 1.4.3 by Ana on Nov 24, 02:10: retries the lock." Undefined for a group without a mark. */
export function describeMark({ marked, countSinceMark }: ErrorGroupRow, zone: Zone): string | undefined {
  if (marked === null) return undefined;
  const { author, comment, at } = marked;
  const by = author === '' ? '' : ` by ${author}`;
  const since = marked.mark === 'ignored' ? `, ${formatPlural(countSinceMark, 'failure')} since` : '';
  const sentence = `${describeChange(marked, zone)}${by} on ${formatDateTime(Date.parse(at), zone)}${since}`;
  return comment === '' ? `${sentence}.` : `${sentence}: ${comment}`;
}

function describeChange({ mark, version, until, untilCount }: ErrorGroupMark, zone: Zone): string {
  if (mark === 'open') return 'Reopened';
  if (mark === 'resolved') return version === '' ? 'Resolved' : `Resolved in ${version}`;
  const limits = [
    until === null ? '' : ` until ${formatDateTime(Date.parse(until), zone)}`,
    untilCount === null ? '' : ` until ${formatPlural(untilCount, 'more failure')}`,
  ].filter(Boolean);
  return `Ignored${limits.join(' or')}`;
}

const MAX_NAMES = 5;

/** Example: "1.4.3 (120), 1.4.2 (3) and 2 others" */
export function describeCounts(counts: ErrorGroupRow['versions']): string {
  const named = counts
    .slice(0, MAX_NAMES)
    .map(({ name, count }) => `${name || 'unknown'} (${formatCount(count)})`);
  const others = counts.length - named.length;
  return others > 0 ? `${named.join(', ')} and ${formatPlural(others, 'other')}` : named.join(', ');
}
