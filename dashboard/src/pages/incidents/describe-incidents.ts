// The heading of the page, the state and cause of a change in words, and its place on the timeline.
import type { ChangeCause, ChangePointRow } from '../../../../src/contract/change-points.ts';
import { formatPlural } from '../../format/format-number.ts';

/** Example: "2 incidents are open, 3 changes in the last day." */
export function describeIncidents(rows: readonly ChangePointRow[], range: string): string {
  const open = rows.filter(isIncident).length;
  const changes = `${formatPlural(rows.length, 'change')} ${range}.`;
  if (open === 0) return `No incident is open; ${changes}`;
  return `${formatPlural(open, 'incident')} ${open === 1 ? 'is' : 'are'} open; ${changes}`;
}

/** An open change for the worse. */
export const isIncident = ({ state, isWorse }: ChangePointRow): boolean => state === 'open' && isWorse;

interface StateText {
  readonly word: 'open' | 'ended' | 'usual now' | 'better';
  readonly title: string;
}

export function describeState(row: ChangePointRow): StateText {
  switch (row.state) {
    case 'open':
      return { word: 'open', title: 'It goes on.' };
    case 'ended':
      return { word: 'ended', title: 'It is as usual again.' };
    case 'usual':
      return row.isWorse
        ? { word: 'usual now', title: 'It stayed for two days and is the usual level now.' }
        : { word: 'better', title: 'The better level is the usual one now.' };
    default:
      return row.state satisfies never;
  }
}

const CAUSE_WORDS: Readonly<Record<ChangeCause['kind'], string>> = {
  version: 'version',
  definition: 'definition of version',
  client: 'client',
  dependency: 'dependency',
  argument: 'argument',
  code: 'code',
};

/** Example: "client cursor, 94 % of the excess". */
export function describeCause({ kind, name, share }: ChangeCause): string {
  return `${CAUSE_WORDS[kind]} ${name}, ${Math.round(share * 100)} % of the excess`;
}

/** Where a change lies within a range, as fractions of it. */
export interface TimelineSpan {
  readonly left: number;
  readonly width: number;
}

/** Changes shorter than this share of the range are drawn with it. */
const MIN_WIDTH = 0.01;

/** @param nowMs the end of changes that go on */
export function toTimelineSpan(
  { onsetAt, endedAt, state }: Pick<ChangePointRow, 'onsetAt' | 'endedAt' | 'state'>,
  range: { readonly fromMs: number; readonly toMs: number },
  nowMs: number,
): TimelineSpan {
  const toShare = (ms: number): number =>
    Math.min(1, Math.max(0, (ms - range.fromMs) / (range.toMs - range.fromMs)));
  const onsetMs = Date.parse(onsetAt);
  const endMs = endedAt === null ? (state === 'open' ? nowMs : onsetMs) : Date.parse(endedAt);
  const left = Math.min(1 - MIN_WIDTH, toShare(onsetMs));
  return { left, width: Math.max(MIN_WIDTH, toShare(endMs) - left) };
}
