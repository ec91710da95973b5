// What the tools table shows beside its counts, and the lists of its tabs: removed, asked for but missing, common sequences. Counts
// come from the rollups over the whole range; what needs calls in order, from the newest calls of each server.

import { z } from 'zod';
import type { CommonQuery } from '../../contract/query.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import type { ToolColumnsAnswer, ToolColumnsRow } from '../../contract/tool.ts';
import { estimateTokens } from '../../core/advice/definition-tokens.ts';
import { readAdvice } from './advice.ts';
import { inWindows } from './call-window.ts';
import { type ListedDefinition, readDefinitions } from './definitions.ts';
import { readEvidence } from './evidence.ts';
import { countedTotals } from './figures.ts';
import type { Filters } from './filters.ts';
import { alignRange } from './grain.ts';
import { groupRows, toolKey } from './group-rows.ts';
import { readLoopingCalls } from './loop-share.ts';
import type { Asking, Resolved } from './ports.ts';
import { toProportion } from './proportion.ts';
import { readOutcomes } from './result-evidence.ts';
import { count } from './row-values.ts';
import { toAfterErrors } from './tool-failures.ts';
import { readMissing, readRemoved } from './tool-lists.ts';
import { readSequences } from './tool-sequences.ts';

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  code: z.string(),
  n: count,
  failed: count,
  ok: count,
});

/** One row for each tool that was called or is listed. */
export async function answerToolColumns(
  query: Resolved<CommonQuery>,
  asking: Asking,
): Promise<ToolColumnsAnswer> {
  const range = alignRange(query.range, asking);
  const { range: _, ...filters } = query;
  const { server, environment, tool } = filters;
  const [codes, evidence, definitions] = await Promise.all([
    readCodes(range, filters, asking),
    readEvidence({ range, filters }, asking),
    readDefinitions({ server, environment, tool }, asking),
  ]);
  const { windows, order } = evidence;
  const [advice, outcomes, looping, missing, sequences] = await Promise.all([
    readAdvice({ evidence, filters, withGone: false }, asking),
    readOutcomes(inWindows(windows, filters), asking),
    readLoopingCalls({ windows, filters }, asking),
    readMissing({ range, filters }, asking),
    readSequences({ windows, filters }, asking),
  ]);
  const codesOf = groupRows(codes, toolKey);
  const loopingOf = groupRows(looping, toolKey);
  const outcomesOf = groupRows(outcomes, toolKey);
  const failuresOf = groupRows(order.failures, toolKey);
  const definitionsOf = groupRows(definitions, toolKey);
  const adviceOf = groupRows(advice, toolKey);
  const columns = namesOf(codes, definitions).map(({ server: of, tool: name }): ToolColumnsRow => {
    const key = toolKey({ server: of, tool: name });
    const rows = codesOf.get(key) ?? [];
    const n = sum(rows, 'n');
    const ok = sum(rows, 'ok');
    const [inLoops] = loopingOf.get(key) ?? [];
    const results = outcomesOf.get(key)?.[0]?.results;
    return {
      ...{ server: of, tool: name },
      errorRate: toProportion(sum(rows, 'failed'), n),
      topCode: rows.reduce<Row | undefined>(mostFailed, undefined)?.code ?? '',
      next: toAfterErrors(failuresOf.get(key) ?? []),
      triesPerSuccess: ok === 0 ? null : n / ok,
      loopShare: toProportion(inLoops?.looping ?? 0, inLoops?.n ?? 0),
      resultTokensP95: results === undefined || results.measured === 0 ? null : results.p95Tokens,
      definitionTokens: tokensOf(definitionsOf.get(key) ?? []),
      advice: (adviceOf.get(key) ?? []).filter(({ state }) => state === 'open').length,
    };
  });
  const callsOf = (name: Name) => sum(codesOf.get(toolKey(name)) ?? [], 'n');
  return {
    range,
    columns,
    removed: await readRemoved(definitions, { callsOf, environment }, asking),
    missing,
    sequences,
  };
}

type Row = z.infer<typeof Row>;

interface Name {
  readonly server: string;
  readonly tool: string;
}

function sum(rows: readonly Row[], figure: 'n' | 'failed' | 'ok'): number {
  return rows.reduce((total, row) => total + row[figure], 0);
}

function mostFailed(best: Row | undefined, row: Row): Row | undefined {
  if (row.failed === 0) return best;
  return best === undefined || row.failed > best.failed ? row : best;
}

function namesOf(codes: readonly Name[], definitions: readonly ListedDefinition[]): Name[] {
  const names = new Map<string, Name>();
  const listed = definitions.filter(({ isCurrent }) => isCurrent);
  for (const { server, tool } of [...codes, ...listed]) names.set(`${server}\n${tool}`, { server, tool });
  return [...names.values()];
}

/** Of the current definition, or the last one. */
function tokensOf(definitions: readonly ListedDefinition[]): number | null {
  const listed = definitions.findLast(({ isCurrent }) => isCurrent) ?? definitions.at(-1);
  return listed === undefined ? null : estimateTokens(listed.characters);
}

function readCodes(range: TimeRange, filters: Filters, asking: Asking): Promise<Row[]> {
  const { figures, where } = countedTotals({ range, filters }, asking);
  const okCalls = figures.calls === 'count()' ? `countIf(outcome = 'ok')` : `sumIf(calls, outcome = 'ok')`;
  return asking.store.query({
    sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      toString(error_code) AS code,
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${okCalls} AS ok
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY server, tool, code
    ORDER BY n DESC, server, tool, code
    LIMIT 5000`,
    params: where.params,
    row: Row,
  });
}
