// Advice for servers and tools: the rules over what the newest calls show, ranked by calls lost. Advice that a later definition no
// longer shows is told as gone, with what became of the failures behind it; advice that merely has no calls in the range
// any more is not, since nothing was mended.

import { z } from 'zod';
import type { AdviceAnswer, AdviceQuery, AdviceRow } from '../../contract/advice.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { FINDING_LEVELS } from '../../core/advice/finding.ts';
import { UserError } from '../../errors.ts';
import { type AdviceMemory, readAdviceMemory, rememberAdvice, writeDismissal } from './advice-memory.ts';
import { nothingWritten } from './annotations.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import { countedTotals } from './figures.ts';
import { askedFilters, type Filters } from './filters.ts';
import { evaluateRules, type FoundAdvice, toRemember } from './found-advice.ts';
import { findGone, splitMended } from './gone-advice.ts';
import { alignRange } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import { toProportion } from './proportion.ts';
import { count } from './row-values.ts';
import { toAfterErrors } from './tool-failures.ts';

/** The list of advice, with the two rates of the page. */
export async function answerAdvice(query: Resolved<AdviceQuery>, asking: Asking): Promise<AdviceAnswer> {
  const range = alignRange(query.range, asking);
  const { range: _, state, ...filters } = query;
  const [evidence, correctCallRate] = await Promise.all([
    readEvidence({ range, filters }, asking),
    readCorrectCallRate(range, filters, asking),
  ]);
  const withGone = state === 'gone' || state === 'all';
  const rows = await readAdvice({ evidence, filters, withGone }, asking);
  const { recovered, n } = toAfterErrors(evidence.order.failures);
  return {
    range,
    correctCallRate,
    errorRecoveryRate: toProportion(recovered, n),
    advice: rows.filter((row) => state === 'all' || row.state === state),
  };
}

const RefusedRow = z.object({ n: count, refused: count });

/** Over the whole range: refusals stand in the rollups, by outcome and fault. */
async function readCorrectCallRate(
  range: TimeRange,
  filters: Filters,
  asking: Asking,
): Promise<AdviceAnswer['correctCallRate']> {
  const { figures, where } = countedTotals({ range, filters }, asking);
  const refused = `outcome IN ('invalid_arguments', 'unknown_tool') OR (outcome = 'protocol_error' AND fault = 'client')`;
  const sum = figures.calls === 'count()' ? `countIf(${refused})` : `sumIf(calls, ${refused})`;
  const [row] = await asking.store.query({
    sql: `SELECT ${figures.calls} AS n, ${sum} AS refused FROM ${figures.table} WHERE ${where.sql}`,
    params: where.params,
    row: RefusedRow,
  });
  return toProportion((row?.n ?? 0) - (row?.refused ?? 0), row?.n ?? 0);
}

interface AskedAdvice {
  readonly evidence: Evidence;
  readonly filters: Filters;
  /** What became of each is a read of its own: only for who shows it. */
  readonly withGone: boolean;
}

/** Every piece of advice on what is asked about, by calls lost; then what is gone. */
export async function readAdvice(
  { evidence, filters, withGone }: AskedAdvice,
  asking: Asking,
): Promise<AdviceRow[]> {
  const memory = await readAdviceMemory(filters, asking);
  const found = evaluateRules(evidence, filters.tool);
  const { open, mended } = splitMended(found, evidence, asking.nowMs);
  const isWhole = askedFilters(filters).every((name) => name === 'server' || name === 'environment');
  if (isWhole) await remember(open, memory, asking);
  const shown = new Set(found.map(({ id }) => id));
  const rows = open.map((one) => toRow(one, memory.dismissed.has(one.id) ? 'dismissed' : 'open', memory));
  rows.sort(byWeight(evidence));
  if (!withGone) return rows;
  const gone = await findGone(
    memory.seen.filter(({ id }) => !shown.has(id)),
    { evidence, environment: filters.environment },
    asking,
  );
  return [
    ...rows,
    ...[...mended, ...gone].map(({ seen, outcome }) => ({ ...toRow(seen, 'gone', memory), outcome })),
  ];
}

/** A write that fails is made by the next question, or by the next round. */
async function remember(found: readonly FoundAdvice[], memory: AdviceMemory, asking: Asking): Promise<void> {
  const { writer, nowMs } = asking;
  if (writer === undefined) return;
  try {
    await rememberAdvice(toRemember(found, memory, nowMs), { writer, nowMs });
  } catch {
    // The answer stands without it.
  }
}

/** Calls lost, then level, then the calls that the tool has. */
function byWeight({ tools }: Evidence): (one: AdviceRow, other: AdviceRow) => number {
  const calls = ({ server, tool }: AdviceRow): number =>
    (tools.get(server) ?? [])
      .filter((evidence) => tool === '' || evidence.tool === tool)
      .reduce((sum, evidence) => sum + evidence.calls, 0);
  return (one, other) =>
    other.callsLost - one.callsLost ||
    FINDING_LEVELS.indexOf(other.level) - FINDING_LEVELS.indexOf(one.level) ||
    calls(other) - calls(one) ||
    (one.rule < other.rule ? -1 : Number(one.rule > other.rule));
}

const KnownRow = z.object({ id: z.string() });

/**
 * Puts advice aside, or takes that back where there is no reason.
 *
 * @throws UserError NOT_FOUND for advice that was never given
 */
export async function dismissAdvice(
  { id, reason }: { readonly id: string; readonly reason: string | undefined },
  { store, writer, nowMs }: Asking,
): Promise<void> {
  const [known] = await store.query({
    sql: 'SELECT id FROM advice_seen WHERE id = {id:String} LIMIT 1',
    params: { id },
    row: KnownRow,
  });
  if (known === undefined) throw new UserError('NOT_FOUND', 'No advice of that id was ever given.');
  if (writer === undefined) throw nothingWritten();
  await writeDismissal({ id, reason: reason ?? '', isWithdrawn: reason === undefined }, { writer, nowMs });
}

function toRow(
  { id, server, finding }: Pick<FoundAdvice, 'id' | 'server' | 'finding'>,
  state: AdviceRow['state'],
  { dismissed }: AdviceMemory,
): AdviceRow {
  const { rule, level, source, title, tool, argument, disprovedBy, callsLost, evidence, suggestion } =
    finding;
  const { counts, names, calls } = evidence;
  return {
    ...{ id, rule, level, source, title, server, tool, argument, finding: finding.finding },
    counts: { ...counts },
    names: Object.fromEntries(Object.entries(names).map(([name, list]) => [name, [...list]])),
    calls:
      calls === undefined
        ? null
        : {
            tool: calls.tool,
            outcome: calls.outcome ?? null,
            code: calls.code ?? null,
            message: calls.message ?? null,
            argument: calls.argument ?? null,
          },
    suggestion: { text: suggestion.text, edits: suggestion.edits.map((edit) => ({ ...edit })) },
    ...{ disprovedBy, callsLost, state },
    reason: dismissed.get(id) ?? '',
    outcome: '',
  };
}
