// Loops of the fixture's runs, worked out from its calls: the stuck agent (goes on), the one that went to and fro (over),
// and a note on the productive one. Counts that tests name are literals of the runs.

import type { CallRow } from '../../src/contract/calls.ts';
import { type LoopEvidenceCall, LoopRow, type SessionNearMisses } from '../../src/contract/loops.ts';

const THRESHOLDS = {
  repeats: 4,
  longRepeats: 5,
  longBytes: 1000,
  cursorRepeats: 5,
  laps: 3,
  weakLaps: 4,
  longestPeriod: 8,
  callsPerSession: 30,
};

interface Spec {
  readonly id: string;
  readonly sessionId: string;
  readonly kind: LoopRow['kind'];
  readonly severity: LoopRow['severity'];
  readonly state: LoopRow['state'];
  readonly period: number;
  /** Calls before the loop begins. */
  readonly skip: number;
  readonly sentence: string;
  readonly cause: LoopRow['cause'];
  readonly causeSentence: string;
}

const SPECS: readonly Spec[] = [
  {
    id: '00000000000000d3',
    sessionId: 'stuck-on-a-conflict-7f21',
    kind: 'repeat',
    severity: 'confirmed',
    state: 'active',
    period: 1,
    skip: 2,
    cause: 'tool',
    causeSentence: 'The error of move gives no way out.',
    sentence:
      'move was called 202 times in a row with the same arguments, and it failed the same way each time.',
  },
  {
    id: '00000000000000d2',
    sessionId: 'to-and-fro-0b9c',
    kind: 'cycle',
    severity: 'suspected',
    state: 'over',
    period: 2,
    skip: 0,
    cause: 'agent',
    causeSentence: 'The agent does not use what it was answered.',
    sentence:
      'The same 2 calls (get_file, list_commits) went round 22 times, and the same answer came back in every round.',
  },
  {
    id: '00000000000000d1',
    sessionId: 'long-and-productive-55ad',
    kind: 'budget',
    severity: 'note',
    state: 'over',
    period: 1,
    skip: 0,
    cause: 'agent',
    causeSentence: '',
    sentence: '45 calls in one session; this is a length, not a loop.',
  },
];

/** Newest onset first. */
export function createLoops(calls: readonly CallRow[]): LoopRow[] {
  return SPECS.flatMap((spec) => {
    const all = calls.filter(
      ({ sessionId, method }) => sessionId === spec.sessionId && method === 'tools/call',
    );
    const own = all.slice(spec.skip);
    const [first] = own;
    const last = own.at(-1);
    if (!first || !last) return [];
    const wasted = spec.severity === 'note' ? [] : own.slice(spec.period);
    return LoopRow.parse({
      ...spec,
      source: first.sessionSource,
      server: first.server,
      environment: first.environment,
      client: first.client,
      planId: first.planId,
      tools: [...new Set(own.map(({ tool }) => tool))],
      repeats: Math.floor(own.length / spec.period),
      wastedCalls: wasted.length,
      wastedMs: wasted.reduce((sum, { durationMs }) => sum + durationMs, 0),
      wastedTokens: wasted.length * 310,
      wastedCost: (wasted.length * 310 * 2.5) / 1_000_000,
      costCurrency: 'USD',
      cause: spec.cause,
      causeSentence: spec.causeSentence,
      stormId: '',
      treeId: '',
      treeSessions: 0,
      becameLoop: null,
      feedback: null,
      onset: first.startedAt,
      lastAt: last.startedAt,
      detectedAt: own[3]?.startedAt ?? last.startedAt,
      evidence: toEvidence(own.slice(0, 4 * spec.period), spec),
      thresholds: THRESHOLDS,
      detectorVersion: 2,
    });
  });
}

/** The second round of the stuck agent differs in one argument, so that a page has a change to show. */
function toEvidence(calls: readonly CallRow[], { period, skip }: Spec): LoopEvidenceCall[] {
  return calls.map((call, at) => {
    const isFirst = at < period;
    const hasChanged = period === 1 && at === 1;
    return {
      index: skip + at,
      traceId: call.traceId,
      spanId: call.spanId,
      tool: call.tool,
      startedAt: call.startedAt,
      durationMs: call.durationMs,
      outcome: call.outcome,
      code: call.code,
      errorMessage: call.errorMessage,
      argumentsFingerprint: call.argumentsFingerprint,
      resultFingerprint: call.resultFingerprint,
      resultBytes: call.resultBytes,
      sameArguments: isFirst ? null : !hasChanged,
      changedArguments: hasChanged ? ['request_id'] : [],
      sameAnswer: isFirst ? 'none' : call.fault === 'none' ? 'equal' : 'failure',
    };
  });
}

export function toConsidered(sessionId: string): SessionNearMisses {
  if (sessionId !== 'long-and-productive-55ad') return { whyNot: null, limits: null, notes: [] };
  return {
    whyNot: '45 calls, but no loop: 100 % of them brought an answer that had not been seen just before.',
    limits: null,
    notes: [{ kind: 'budget', sentence: '45 calls in one session; this is a length, not a loop.' }],
  };
}
