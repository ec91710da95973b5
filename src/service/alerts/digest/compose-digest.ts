// The digest of a range: the verdict, what got worse and better, what needs attention, what is never called, and what a
// fix achieved. Composed from answers of the API alone, so that every number in it is one of the dashboard's.

import type { AdviceResponse } from '../../../contract/advice.ts';
import type { ChangePointRow, ChangePointsResponse } from '../../../contract/change-points.ts';
import type { Proportion } from '../../../contract/fields.ts';
import type { AttentionResponse } from '../../../contract/overview.ts';
import type { SummaryResponse } from '../../../contract/summary.ts';
import type { NeverCalledResponse } from '../../../contract/tools.ts';
import { toWilsonInterval } from '../../../core/model/wilson-interval.ts';

export interface DigestSources {
  readonly summary: SummaryResponse;
  readonly changePoints: ChangePointsResponse;
  readonly attention: AttentionResponse;
  readonly neverCalled: NeverCalledResponse;
  /** Advice that is gone, with its outcome. */
  readonly goneAdvice: AdviceResponse;
}

export interface DigestTotals {
  readonly calls: number;
  readonly sessions: number;
  readonly errors: number;
  readonly errorRate: Proportion;
  readonly p95Ms: number | null;
}

export interface DigestChange {
  readonly server: string;
  readonly tool: string;
  readonly since: string;
  /** Null while it lasts. */
  readonly until: string | null;
  readonly sentence: string;
  /** Share of failed or slow calls before; null for other kinds. */
  readonly before: number | null;
  /** The same since, with its interval. */
  readonly after: Proportion | null;
}

export interface Digest {
  readonly range: SummaryResponse['range'];
  readonly verdict: SummaryResponse['verdict'];
  readonly sentence: string;
  readonly totals: DigestTotals;
  /** Of the period of the same length before; null if nothing of it is retained. */
  readonly previous: DigestTotals | null;
  readonly worse: readonly DigestChange[];
  readonly better: readonly DigestChange[];
  readonly findings: readonly { readonly kind: string; readonly server: string; readonly sentence: string }[];
  readonly neverCalled: {
    readonly tools: number;
    /** Estimated tokens of their definitions in each listing. */
    readonly definitionTokens: number;
    /** At most ten, the largest definitions first. */
    readonly examples: readonly string[];
  };
  /** What changes of the server achieved, at most five. */
  readonly fixes: readonly { readonly server: string; readonly tool: string; readonly sentence: string }[];
}

const MAX_CHANGES = 10;
const MAX_EXAMPLES = 10;
const MAX_FIXES = 5;

/** @returns the digest; a pure function of the answers */
export function composeDigest(sources: DigestSources): Digest {
  const { summary, changePoints, attention, neverCalled, goneAdvice } = sources;
  const changes = changePoints.changePoints;
  const bySize = neverCalled.tools.toSorted((a, b) => b.definitionTokens - a.definitionTokens);
  return {
    range: summary.range,
    verdict: summary.verdict,
    sentence: summary.sentence,
    totals: toTotals(summary.totals),
    previous: summary.previousRange && toTotals(summary.previous),
    worse: changes
      .filter(({ isWorse }) => isWorse)
      .map(toChange)
      .slice(0, MAX_CHANGES),
    better: changes
      .filter(({ isWorse }) => !isWorse)
      .map(toChange)
      .slice(0, MAX_CHANGES),
    findings: attention.items.map(({ kind, server, why }) => ({ kind, server, sentence: why })),
    neverCalled: {
      tools: summary.totals.neverCalledTools,
      definitionTokens: bySize.reduce((sum, { definitionTokens }) => sum + definitionTokens, 0),
      examples: bySize.slice(0, MAX_EXAMPLES).map(({ server, tool }) => `${server}/${tool}`),
    },
    fixes: goneAdvice.advice
      .filter(({ outcome }) => outcome !== '')
      .map(({ server, tool, outcome }) => ({ server, tool, sentence: outcome }))
      .slice(0, MAX_FIXES),
  };
}

function toTotals({ calls, sessions, errors, p95Ms }: SummaryResponse['totals']): DigestTotals {
  const interval = calls === 0 ? { low: null, high: null } : toWilsonInterval(errors, calls);
  const errorRate = { value: calls === 0 ? null : errors / calls, n: calls, ...interval };
  return { calls, sessions, errors, errorRate, p95Ms };
}

function toChange({ server, tool, onsetAt, endedAt, sentence, share }: ChangePointRow): DigestChange {
  return {
    ...{ server, tool, sentence, since: onsetAt, until: endedAt },
    before: share?.before ?? null,
    after: share?.after ?? null,
  };
}
