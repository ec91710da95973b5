// Recorded sessions judged anew by the detector, for whoever tries other thresholds before the service runs with them.
// Calls are kept for a shorter time than loops: a session whose calls are gone is not judged and not listed.

import type { JudgedAnswer, JudgedQuery, JudgedSession } from '../../contract/judged.ts';
import { detectLoops } from '../../core/loops/detect-loops.ts';
import { parseThresholds } from '../../core/loops/parse-thresholds.ts';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import { UserError } from '../../errors.ts';
import { readSessionCalls } from '../store/session-calls.ts';
import { readToolAnnotations } from '../store/tool-annotations.ts';
import { readLoopsOf } from './loops.ts';
import type { Asking, Resolved } from './ports.ts';
import { answerSessions } from './sessions.ts';

/** Of a longer session the newest calls are judged, as in a replay of the follower. */
const MOST_CALLS = 10_000;

/** @throws UserError INVALID_PARAMETER for thresholds that are none */
export async function answerJudged(
  { thresholds, session, limit, ...query }: Resolved<JudgedQuery>,
  asking: Asking,
): Promise<JudgedAnswer> {
  const table = thresholds === undefined ? asking.thresholds : readThresholds(thresholds);
  const { sessions, ...rest } = await answerSessions(
    { ...query, limit, minCalls: 1, order: 'recent', ...(session !== undefined && { session }) },
    asking,
  );
  const judged: JudgedSession[] = [];
  // One at a time: each may hold ten thousand calls, and the service has other things to do in between.
  for (const found of sessions) judged.push(...(await judgeOne(found, { asking, table })));
  return { ...rest, sessions: judged };
}

interface Judging {
  readonly asking: Asking;
  readonly table: ThresholdTable | undefined;
}

async function judgeOne(
  { server, source, sessionId }: Pick<JudgedSession, 'server' | 'source' | 'sessionId'>,
  { asking, table }: Judging,
): Promise<JudgedSession[]> {
  const identity = { server, source, id: sessionId };
  const [stored, annotations, loops] = await Promise.all([
    readSessionCalls(asking.store, [identity], MOST_CALLS),
    readToolAnnotations(asking.store, server),
    readLoopsOf({ server_name: server, session_source: source, session_id: sessionId }, asking),
  ]);
  if (stored.length === 0) return [];
  const calls = stored.map(({ call }) => {
    const hints = annotations.get(call.toolName);
    return hints === undefined ? call : { ...call, annotations: hints };
  });
  const { verdict, findings, wastedCalls, whyNot, limits } = detectLoops(calls, table);
  const isLoop = verdict === 'suspected' || verdict === 'confirmed';
  return [
    {
      sessionId,
      source,
      server,
      verdict,
      findings: findings.map(toJudgedFinding),
      calls: calls.length,
      wastedCalls,
      whyNot: whyNot ?? null,
      limits: limits ?? null,
      recorded: loops.map(toRecorded),
      change: isLoop === loops.length > 0 ? 'same' : isLoop ? 'fires' : 'silent',
    },
  ];
}

function toJudgedFinding(finding: ReturnType<typeof detectLoops>['findings'][number]) {
  const { kind, severity, state, onsetIndex, detectedAtIndex, lastIndex } = finding;
  const { period, repeats, wastedCalls, sentence } = finding;
  return {
    ...{ kind, severity, state, onsetIndex, detectedAtIndex, lastIndex },
    ...{ period, repeats, wastedCalls, sentence },
  };
}

function toRecorded(loop: Awaited<ReturnType<typeof readLoopsOf>>[number]) {
  const { id, kind, severity, onset, period, repeats, sentence } = loop;
  return { id, kind, severity, onset, period, repeats, sentence };
}

function readThresholds(text: string): ThresholdTable {
  const parsed = parseThresholds(parseJson(text));
  if (parsed.status === 'parsed') return parsed.table;
  const place = parsed.place || 'the table';
  throw new UserError('INVALID_PARAMETER', `Parameter "thresholds": ${place} ${parsed.problem}.`, {
    field: 'thresholds',
    hint: 'It is {"defaults": {…}, "servers": {"name": {…}}, "tools": {"name": {…}}}, as in a thresholds file.',
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Said by the caller, as of any other value that is no table.
    return undefined;
  }
}
