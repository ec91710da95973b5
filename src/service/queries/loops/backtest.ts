// Runs the loop detector on stored sessions with other thresholds, to try them before the service uses them.
// Calls have a shorter retention than loops; a session whose calls have expired is left out.

import type { BacktestQuery, BacktestResponse, BacktestSession } from '../../../contract/backtest.ts';
import type { LoopRow } from '../../../contract/loops.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { LoopFinding } from '../../../core/loops/finding.ts';
import { parseThresholds } from '../../../core/loops/parse-thresholds.ts';
import type { ThresholdTable } from '../../../core/loops/thresholds.ts';
import { UserError } from '../../../errors.ts';
import type { QueryContext } from '../query/query-context.ts';
import { getSessions } from '../sessions/sessions.ts';
import { readLoopsOfSession } from './loops.ts';
import { detectSessionLoops } from './near-misses.ts';

/** @throws UserError INVALID_PARAMETER for invalid thresholds */
export async function getBacktest(
  { thresholds, session, limit, ...query }: ResolvedQuery<BacktestQuery>,
  context: QueryContext,
): Promise<BacktestResponse> {
  const table = thresholds === undefined ? context.thresholds : parseThresholdsParameter(thresholds);
  const { sessions, ...rest } = await getSessions(
    { ...query, limit, minCalls: 1, order: 'recent', ...(session !== undefined && { session }) },
    context,
  );
  const backtested: BacktestSession[] = [];
  // One session at a time: each may hold ten thousand calls, and the service must stay responsive.
  for (const found of sessions) backtested.push(...(await backtestSession(found, table, context)));
  return { ...rest, sessions: backtested };
}

async function backtestSession(
  { server, source, sessionId }: Pick<BacktestSession, 'server' | 'source' | 'sessionId'>,
  table: ThresholdTable | undefined,
  context: QueryContext,
): Promise<BacktestSession[]> {
  const identity = { server, source, id: sessionId };
  const [{ sessionCalls, verdict, findings, wastedCalls, whyNot, limits }, loops] = await Promise.all([
    detectSessionLoops(identity, table, context),
    readLoopsOfSession(identity, context),
  ]);
  if (sessionCalls === 0) return [];
  const isLoop = verdict === 'suspected' || verdict === 'confirmed';
  const isRecorded = loops.length > 0;
  return [
    {
      sessionId,
      source,
      server,
      verdict,
      findings: findings.map(toBacktestFinding),
      calls: sessionCalls,
      wastedCalls,
      whyNot: whyNot ?? null,
      limits: limits ?? null,
      recorded: loops.map(toRecordedLoop),
      change: isLoop === isRecorded ? 'same' : isLoop ? 'fires' : 'silent',
    },
  ];
}

function toBacktestFinding(finding: LoopFinding) {
  const { kind, severity, state, onsetIndex, detectedAtIndex, lastIndex } = finding;
  const { period, repeats, wastedCalls, sentence } = finding;
  return {
    ...{ kind, severity, state, onsetIndex, detectedAtIndex, lastIndex },
    ...{ period, repeats, wastedCalls, sentence },
  };
}

function toRecordedLoop(loop: LoopRow) {
  const { id, kind, severity, onset, period, repeats, sentence } = loop;
  return { id, kind, severity, onset, period, repeats, sentence };
}

function parseThresholdsParameter(text: string): ThresholdTable {
  const parsed = parseThresholds(parseJson(text));
  if (parsed.status === 'parsed') return parsed.table;
  const location = parsed.path || 'the table';
  throw new UserError('INVALID_PARAMETER', `Parameter "thresholds": ${location} ${parsed.problem}.`, {
    field: 'thresholds',
    hint: 'It is {"defaults": {…}, "servers": {"name": {…}}, "tools": {"name": {…}}}, as in a thresholds file.',
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports it, like any other value that is not a table.
    return undefined;
  }
}
