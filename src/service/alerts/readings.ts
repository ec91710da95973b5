// What a rule finds in what is known right now. One agent is one reading per rule, however many loops it is in at once:
// the identity is the session's, or the run's that it belongs to, and the loop that is worst speaks for the others. A storm is
// one reading however many sessions it has, and speaks for all of them.

import { LOOP_SEVERITIES, type LoopNotice } from '../../core/model/loop-notice.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import type { Labels, Reading } from './alert.ts';
import { labelFingerprint } from './label-fingerprint.ts';
import type { AlertRule, RuleMatch, SessionOverCallsRule, StormRule, SuspectedLoopRule } from './rule.ts';

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

export interface Facts {
  /** Loops that go on, each id once; and those that ended lately as a part of something greater. */
  readonly loops: readonly LoopNotice[];
  /** Storms that go on, each id once. */
  readonly storms: readonly StormRecord[];
  /** By rule id. A rule that is missing was not read: what is not known is not absence. */
  readonly sessions: ReadonlyMap<string, readonly LongSession[]>;
}

/** A rule that finds more than this at once needs narrowing, and nobody reads the rest. */
const MOST_READINGS = 1_000;
/**
 * A loop that nobody has said anything of for so long is over. Whoever follows loops ends even the slowest half an hour
 * after its last call; this is for what was lost on the way.
 */
export const LOOP_SILENT_MS = 45 * 60_000;
/** A session without a request for so long no longer goes on. */
export const SESSION_SILENT_MS = 15 * 60_000;

/** @returns one reading per session, or undefined when it is not known */
export function readingsOf(
  rule: AlertRule,
  facts: Facts,
  nowMs: number,
): ReadonlyMap<string, Reading> | undefined {
  const readings = readAll(rule, facts, nowMs);
  if (!readings) return undefined;
  return new Map(readings.slice(0, MOST_READINGS).map((reading) => [reading.fingerprint, reading]));
}

function readAll(rule: AlertRule, facts: Facts, nowMs: number): Reading[] | undefined {
  switch (rule.kind) {
    case 'suspected_loop':
      return readLoops(rule, facts.loops, nowMs);
    case 'session_over_calls': {
      const folded = new Set(facts.loops.filter(({ foldedInto }) => foldedInto !== '').map(sessionOf));
      const own = facts.sessions.get(rule.id)?.filter((session) => !folded.has(sessionOf(session)));
      return own?.flatMap((session) => readSession(rule, session));
    }
    case 'storm':
      return facts.storms.flatMap((storm) => readStorm(rule, storm, nowMs));
    default:
      return rule satisfies never;
  }
}

function sessionOf({ server, sessionSource, sessionId }: Omit<Who, 'environment'>): string {
  return JSON.stringify([server, sessionSource, sessionId]);
}

/**
 * The loops as the rules let them be told: one that is folded into something of which no rule speaks stands for itself.
 * What has ended stays as it is.
 */
export function unfold(loops: readonly LoopNotice[], rules: readonly AlertRule[]): readonly LoopNotice[] {
  const byId = new Map(loops.map((loop) => [loop.id, loop]));
  return loops.map((loop) => {
    if (loop.foldedInto === '' || loop.state === 'over') return loop;
    const run = byId.get(loop.foldedInto);
    return rules.some((rule) => speaks(rule, loop, run)) ? loop : { ...loop, foldedInto: '' };
  });
}

function speaks(rule: AlertRule, loop: LoopNotice, run: LoopNotice | undefined): boolean {
  if (!rule.enabled) return false;
  if (run === undefined) return rule.kind === 'storm' && matches(rule.match, loop);
  return (
    rule.kind === 'suspected_loop' &&
    rankOf(run) >= LOOP_SEVERITIES.indexOf(rule.severity) &&
    matches(rule.match, run)
  );
}

/** Sessions of which a storm or a run speaks now: their alerts end, and nobody hears of it a second time. */
export function foldedBy(rule: AlertRule, { loops }: Facts): ReadonlySet<string> {
  if (rule.kind !== 'suspected_loop') return NOBODY;
  const folded = loops.filter(({ foldedInto }) => foldedInto !== '');
  return new Set(folded.map((loop) => labelFingerprint(identity(rule.id, loop))));
}

const NOBODY: ReadonlySet<string> = new Set();

/** Whoever follows storms ends them after their minutes; this is for what was lost on the way. */
export const STORM_SILENT_MS = 2 * 3_600_000;

function readStorm(rule: StormRule, storm: StormRecord, nowMs: number): Reading[] {
  const { id, server, environment, code, tools, sessions, sentence, cause, calls } = storm;
  const isSilent = nowMs - storm.lastUs / 1000 >= STORM_SILENT_MS;
  if (storm.state === 'over' || isSilent || !matches(rule.match, storm)) return [];
  const labels = { alertname: rule.id, server, environment, storm_id: id };
  return [
    {
      fingerprint: labelFingerprint(labels),
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

function readLoops(rule: SuspectedLoopRule, loops: readonly LoopNotice[], nowMs: number): Reading[] {
  const bySession = new Map<string, LoopNotice[]>();
  for (const loop of loops) {
    if (!counts(rule, loop, nowMs)) continue;
    const who = labelFingerprint(identity(rule.id, loop));
    bySession.set(who, [...(bySession.get(who) ?? []), loop]);
  }
  return [...bySession].map(([fingerprint, ofSession]) => toLoopReading(rule, fingerprint, ofSession));
}

/** A burst and a budget are facts about pace and length, and no loops. */
function counts(rule: SuspectedLoopRule, loop: LoopNotice, nowMs: number): boolean {
  return (
    loop.state === 'active' &&
    loop.foldedInto === '' &&
    nowMs >= loop.holdUntilMs &&
    loop.kind !== 'burst' &&
    loop.kind !== 'budget' &&
    rankOf(loop) >= LOOP_SEVERITIES.indexOf(rule.severity) &&
    nowMs - loop.lastMs < LOOP_SILENT_MS &&
    matches(rule.match, loop)
  );
}

function rankOf({ severity }: LoopNotice): number {
  return LOOP_SEVERITIES.indexOf(severity);
}

/** Worst first; of equals the longer, then the id, so that the order in which they came does not matter. */
function byWeight(a: LoopNotice, b: LoopNotice): number {
  return rankOf(b) - rankOf(a) || b.wastedCalls - a.wastedCalls || (a.id < b.id ? -1 : 1);
}

function toLoopReading(rule: AlertRule, fingerprint: string, loops: readonly LoopNotice[]): Reading {
  const [worst, ...others] = loops.toSorted(byWeight);
  if (!worst) throw new Error('a session without a loop has no reading');
  const { kind, severity, sentence, repeats, wastedCalls, tools, onsetMs, client } = worst;
  return {
    fingerprint,
    labels: {
      ...identity(rule.id, worst),
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

function readSession(rule: SessionOverCallsRule, session: LongSession): Reading[] {
  const { server, sessionId, calls, errors, tools, client } = session;
  if (calls <= rule.calls || !matches(rule.match, session)) return [];
  const labels = identity(rule.id, session);
  return [
    {
      fingerprint: labelFingerprint(labels),
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

interface Who {
  readonly server: string;
  readonly environment: string;
  readonly sessionId: string;
  readonly sessionSource: string;
  /** Of a loop of a whole run. */
  readonly treeId?: string;
}

function identity(
  ruleId: string,
  { server, environment, sessionId, sessionSource, treeId = '' }: Who,
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

function matches(
  match: RuleMatch,
  subject: Pick<Who, 'server' | 'environment'> & { readonly tools: readonly string[] },
): boolean {
  const fits = (allowed: readonly string[], values: readonly string[]): boolean =>
    allowed.length === 0 || values.some((value) => allowed.includes(value));
  return (
    fits(match.server, [subject.server]) &&
    fits(match.environment, [subject.environment]) &&
    fits(match.tool, subject.tools)
  );
}
