// Finds the alert candidates of a rule. One agent is one candidate per rule, whatever the number of its
// loops: the identity is that of the session or its run, and the worst loop represents the others. A storm is
// one candidate and represents all its sessions.

import { LOOP_SEVERITIES, type LoopUpdate } from '../../core/model/loop-notice.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import type { AlertCandidate, Labels } from './alert.ts';
import type {
  AlertRule,
  RuleMatch,
  SessionOverCallsRule,
  StormRule,
  SuspectedLoopRule,
} from './alert-rule.ts';
import { fingerprintLabels } from './fingerprint-labels.ts';

/** A session that has more calls than a rule allows and still goes on. */
export interface LongSession {
  readonly server: string;
  /** Empty where the rule does not ask for one. */
  readonly environment: string;
  readonly sessionId: string;
  readonly sessionSource: string;
  readonly client: string;
  readonly calls: number;
  readonly errors: number;
  readonly tools: readonly string[];
}

export interface RuleFacts {
  /** Loops that go on, each id once; and those that ended lately as a part of something greater. */
  readonly loops: readonly LoopUpdate[];
  /** Storms that go on, each id once. */
  readonly storms: readonly StormRecord[];
  /** By rule id. A rule that is missing was not read: what is not known is not absence. */
  readonly sessions: ReadonlyMap<string, readonly LongSession[]>;
}

/** A rule with more candidates needs narrowing. */
const MAX_CANDIDATES = 1_000;
/**
 * A loop without updates for this long is over. Detection ends even the slowest loop half an hour after its
 * last call; this covers lost updates.
 */
export const LOOP_TIMEOUT_MS = 45 * 60_000;
/** A session without a request for so long no longer goes on. */
export const SESSION_TIMEOUT_MS = 15 * 60_000;

/** @returns one reading per session, or undefined when it is not known */
export function findCandidates(
  rule: AlertRule,
  facts: RuleFacts,
  nowMs: number,
): ReadonlyMap<string, AlertCandidate> | undefined {
  const candidates = evaluateRule(rule, facts, nowMs);
  if (!candidates) return undefined;
  return new Map(candidates.slice(0, MAX_CANDIDATES).map((candidate) => [candidate.fingerprint, candidate]));
}

function evaluateRule(rule: AlertRule, facts: RuleFacts, nowMs: number): AlertCandidate[] | undefined {
  switch (rule.kind) {
    case 'suspected_loop':
      return findLoopCandidates(rule, facts.loops, nowMs);
    case 'session_over_calls': {
      const folded = new Set(facts.loops.filter(({ foldedInto }) => foldedInto !== '').map(toSessionKey));
      const own = facts.sessions.get(rule.id)?.filter((session) => !folded.has(toSessionKey(session)));
      return own?.flatMap((session) => toSessionCandidates(rule, session));
    }
    case 'storm':
      return facts.storms.flatMap((storm) => toStormCandidates(rule, storm, nowMs));
    default:
      return rule satisfies never;
  }
}

function toSessionKey({ server, sessionSource, sessionId }: Omit<AlertSubject, 'environment'>): string {
  return JSON.stringify([server, sessionSource, sessionId]);
}

/**
 * Applies the rules to folded loops: a loop folded into something that no rule covers stands for itself.
 * Ended loops are unchanged.
 */
export function restoreUncoveredLoops(
  loops: readonly LoopUpdate[],
  rules: readonly AlertRule[],
): readonly LoopUpdate[] {
  const byId = new Map(loops.map((loop) => [loop.id, loop]));
  return loops.map((loop) => {
    if (loop.foldedInto === '' || loop.state === 'over') return loop;
    const run = byId.get(loop.foldedInto);
    return rules.some((rule) => coversLoop(rule, loop, run)) ? loop : { ...loop, foldedInto: '' };
  });
}

function coversLoop(rule: AlertRule, loop: LoopUpdate, run: LoopUpdate | undefined): boolean {
  if (!rule.enabled) return false;
  if (run === undefined) return rule.kind === 'storm' && matchesRule(rule.match, loop);
  return (
    rule.kind === 'suspected_loop' &&
    toSeverityRank(run) >= LOOP_SEVERITIES.indexOf(rule.severity) &&
    matchesRule(rule.match, run)
  );
}

/** Sessions now covered by a storm or a run: their alerts end without a further notification. */
export function findFoldedFingerprints(rule: AlertRule, { loops }: RuleFacts): ReadonlySet<string> {
  if (rule.kind !== 'suspected_loop') return NO_FINGERPRINTS;
  const folded = loops.filter(({ foldedInto }) => foldedInto !== '');
  return new Set(folded.map((loop) => fingerprintLabels(toIdentityLabels(rule.id, loop))));
}

const NO_FINGERPRINTS: ReadonlySet<string> = new Set();

/** Detection ends storms within minutes; this covers lost updates. */
export const STORM_TIMEOUT_MS = 2 * 3_600_000;

function toStormCandidates(rule: StormRule, storm: StormRecord, nowMs: number): AlertCandidate[] {
  const { id, server, environment, code, tools, sessions, sentence, cause, calls } = storm;
  const isSilent = nowMs - storm.lastUs / 1000 >= STORM_TIMEOUT_MS;
  if (storm.state === 'over' || isSilent || !matchesRule(rule.match, storm)) return [];
  const labels = { alertname: rule.id, server, environment, storm_id: id };
  return [
    {
      fingerprint: fingerprintLabels(labels),
      labels: { ...labels, code, tool: tools.join(', ') },
      evidence: {
        ...{ sentence, value: sessions, threshold: 0, tools },
        details: {
          ...{ kind: storm.kind, cause, calls: String(calls) },
          since: new Date(storm.firstUs / 1000).toISOString(),
        },
      },
    },
  ];
}

function findLoopCandidates(
  rule: SuspectedLoopRule,
  loops: readonly LoopUpdate[],
  nowMs: number,
): AlertCandidate[] {
  const bySession = new Map<string, LoopUpdate[]>();
  for (const loop of loops) {
    if (!isAlertable(rule, loop, nowMs)) continue;
    const subjectKey = fingerprintLabels(toIdentityLabels(rule.id, loop));
    bySession.set(subjectKey, [...(bySession.get(subjectKey) ?? []), loop]);
  }
  return [...bySession].map(([fingerprint, ofSession]) => toLoopCandidate(rule, fingerprint, ofSession));
}

/** A burst and a budget are facts about pace and length, and no loops. */
function isAlertable(rule: SuspectedLoopRule, loop: LoopUpdate, nowMs: number): boolean {
  return (
    loop.state === 'active' &&
    loop.foldedInto === '' &&
    nowMs >= loop.holdUntilMs &&
    loop.kind !== 'burst' &&
    loop.kind !== 'budget' &&
    toSeverityRank(loop) >= LOOP_SEVERITIES.indexOf(rule.severity) &&
    nowMs - loop.lastMs < LOOP_TIMEOUT_MS &&
    matchesRule(rule.match, loop)
  );
}

function toSeverityRank({ severity }: LoopUpdate): number {
  return LOOP_SEVERITIES.indexOf(severity);
}

/** Worst first; of equals the longer, then the id, so that the order in which they came does not matter. */
function compareBySeverity(a: LoopUpdate, b: LoopUpdate): number {
  return toSeverityRank(b) - toSeverityRank(a) || b.wastedCalls - a.wastedCalls || (a.id < b.id ? -1 : 1);
}

function toLoopCandidate(rule: AlertRule, fingerprint: string, loops: readonly LoopUpdate[]): AlertCandidate {
  const [worst, ...others] = loops.toSorted(compareBySeverity);
  if (!worst) throw new Error('a session without a loop has no reading');
  const { kind, severity, sentence, repeats, wastedCalls, tools, onsetMs, client } = worst;
  return {
    fingerprint,
    labels: {
      ...toIdentityLabels(rule.id, worst),
      ...(worst.treeId !== '' && { session_id: worst.sessionId, session_source: worst.sessionSource }),
      ...{ client, tool: tools.join(', ') },
    },
    evidence: {
      sentence,
      value: repeats,
      threshold: 0,
      tools,
      details: {
        kind,
        severity,
        wasted_calls: String(wastedCalls),
        since: new Date(onsetMs).toISOString(),
        ...(others.length > 0 && { other_loops: String(others.length) }),
      },
    },
  };
}

function toSessionCandidates(rule: SessionOverCallsRule, session: LongSession): AlertCandidate[] {
  const { server, sessionId, calls, errors, tools, client } = session;
  if (calls <= rule.calls || !matchesRule(rule.match, session)) return [];
  const labels = toIdentityLabels(rule.id, session);
  return [
    {
      fingerprint: fingerprintLabels(labels),
      labels: { ...labels, client },
      evidence: {
        sentence: `Session ${sessionId} made ${calls} calls to ${server}, more than ${rule.calls}; ${errors} of them failed.`,
        value: calls,
        threshold: rule.calls,
        tools,
        details: { errors: String(errors) },
      },
    },
  ];
}

interface AlertSubject {
  readonly server: string;
  readonly environment: string;
  readonly sessionId: string;
  readonly sessionSource: string;
  /** Of a loop of a whole run. */
  readonly treeId?: string;
}

function toIdentityLabels(
  ruleId: string,
  { server, environment, sessionId, sessionSource, treeId = '' }: AlertSubject,
): Labels {
  if (treeId !== '') return { alertname: ruleId, server, environment, tree_id: treeId };
  return {
    alertname: ruleId,
    server,
    environment,
    session_id: sessionId,
    session_source: sessionSource,
  };
}

function matchesRule(
  match: RuleMatch,
  subject: Pick<AlertSubject, 'server' | 'environment'> & { readonly tools: readonly string[] },
): boolean {
  const fits = (allowed: readonly string[], values: readonly string[]): boolean =>
    allowed.length === 0 || values.some((value) => allowed.includes(value));
  return (
    fits(match.server, [subject.server]) &&
    fits(match.environment, [subject.environment]) &&
    fits(match.tool, subject.tools)
  );
}
