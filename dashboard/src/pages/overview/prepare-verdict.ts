// The headline of the overview. The service words its verdict; the page shows another one when that verdict may
// be out of date, lacks recent calls, or covers a past range while something fails now.
import type { SummaryResponse } from '../../../../src/contract/summary.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatPlural } from '../../format/format-number.ts';

export type Verdict = SummaryResponse['verdict'];

export interface VerdictHeadline {
  readonly verdict: Verdict | 'unknown';
  /** The verdict in a word, with its full stop. */
  readonly word: string;
  readonly text: string;
  /** The verdict that the headline replaces, as a sentence of its own. */
  readonly note?: string;
}

/** Verdicts that mean trouble, worst first. */
const TROUBLE_VERDICTS: readonly Verdict[] = ['failing', 'degraded', 'looping'];
/** A batch of calls is stored within a second; older ones mean that the verdict lacks calls. */
const MAX_INGEST_LAG_MS = 10_000;

export interface VerdictAge {
  /** Why the summary may be out of date. */
  readonly staleness: string | undefined;
  /** When the summary arrived, as a time of day; undefined while it is of another range. */
  readonly time: string | undefined;
}

export const isTrouble = (verdict: Verdict): boolean => TROUBLE_VERDICTS.includes(verdict);

export function prepareVerdict(summary: SummaryResponse, { staleness, time }: VerdictAge): VerdictHeadline {
  const { sentence, now } = summary;
  if (staleness !== undefined)
    return toUnknown(staleness, `Last verdict${time ? `, at ${time}` : ''}: ${sentence}`);
  const isBad = isTrouble(summary.verdict);
  const gap = isBad ? undefined : describeIngestGap(summary.freshness);
  if (gap !== undefined) return toUnknown(gap, `Without these calls: ${sentence}`);
  if (now && isTrouble(now.verdict) && !isBad) {
    const word = `${NOW_WORDS[now.verdict] ?? ''}.`;
    return {
      verdict: now.verdict,
      word,
      text: ` ${now.sentence}.`,
      note: `This range: ${sentence}`,
    };
  }
  const [word, text] = splitSentence(sentence);
  return { verdict: summary.verdict, word, text };
}

const NOW_WORDS: Partial<Readonly<Record<Verdict, string>>> = {
  failing: 'Failing now',
  degraded: 'Degraded now',
  looping: 'Looping now',
};

function toUnknown(reason: string, note: string): VerdictHeadline {
  return { verdict: 'unknown', word: 'Unknown.', text: ` ${reason}`, note };
}

/** The service starts its sentence with the verdict. */
function splitSentence(sentence: string): [word: string, text: string] {
  const [, word = '', text = ''] = /^([^.]+\.)?(.*)$/s.exec(sentence) ?? [];
  return [word, text];
}

/** Why calls of the last seconds are not part of the verdict; undefined if all are. */
function describeIngestGap({ notTaking, pendingCalls, pipeline }: SummaryResponse['freshness']) {
  if (notTaking !== undefined) return `Ingest stopped: ${notTaking}`;
  const lagMs = pipeline?.ingestLagMs ?? 0;
  if (lagMs <= MAX_INGEST_LAG_MS) return undefined;
  return `${formatPlural(pendingCalls, 'call')} of the last ${formatDuration(lagMs)} waiting to be stored.`;
}
