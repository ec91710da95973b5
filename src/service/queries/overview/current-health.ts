// Current health of the servers, independent of the range of the page: an outage of ten minutes is invisible
// in a weekly rate. Each tool is assessed separately, because a tool that always fails is invisible in a busy
// server's rate. Thresholds apply to the lower bound of the 95 % interval, so that a few failed calls do not
// trigger them.

import type { AlertRuleKind } from '../../../contract/alert-rule-kinds.ts';
import { type FilterValue, passesFilter } from '../../../contract/filter-value.ts';
import type { SummaryResponse } from '../../../contract/summary.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import type { CommonFilters } from '../query/filters.ts';
import { alignRange } from '../query/grain.ts';
import type { ErrorCount } from '../query/proportion.ts';
import { toProportion } from '../query/proportion.ts';
import type { FiringAlert, QueryContext } from '../query/query-context.ts';
import { readCallTotals } from '../tools/call-totals.ts';
import { DEGRADED_RATE, FAILING_RATE, formatCount, formatShare, type Verdict } from './verdict.ts';

type CurrentHealth = NonNullable<SummaryResponse['now']>;

const MINUTE_MS = 60_000;
/** Ten complete minutes and the running one. */
const RECENT_MINUTES = 10;
/** Fewer errors than this are not an outage. */
const MIN_ERRORS = 5;
/** Error rates of one tool, as fractions of its calls. */
const TOOL_FAILING_RATE = 0.5;
const TOOL_DEGRADED_RATE = 0.2;
const MAX_NAMED = 5;

interface ToolErrors extends ErrorCount {
  readonly server: string;
  readonly tool: string;
}

export interface CurrentStats extends ErrorCount {
  /** All tools that were called. */
  readonly tools: readonly ToolErrors[];
  readonly alerts: readonly FiringAlert[];
  readonly activeLoops: number;
  /** The tool name alone is unambiguous with a single server. */
  readonly isOneServer: boolean;
}

/** The result of `assessCurrentHealth`; the range comes with the stats. */
export type CurrentVerdict = Pick<CurrentHealth, 'verdict' | 'sentence' | 'tools'>;

/** Verdicts that override those of a range, worst first. */
const TROUBLE_VERDICTS: readonly Verdict[] = ['failing', 'degraded', 'looping'];

/** Whether the current verdict is worse than that of a range. */
export function isWorse(now: Verdict, ofRange: Verdict): boolean {
  return toTroubleRank(now) < toTroubleRank(ofRange);
}

function toTroubleRank(verdict: Verdict): number {
  const at = TROUBLE_VERDICTS.indexOf(verdict);
  return at < 0 ? TROUBLE_VERDICTS.length : at;
}

export function assessCurrentHealth(stats: CurrentStats): CurrentVerdict {
  const failing = stats.tools.filter((one) => isSurelyAtLeast(one, TOOL_FAILING_RATE));
  const tools = stats.tools.filter((one) => isSurelyAtLeast(one, TOOL_DEGRADED_RATE)).sort(compareByErrors);
  const verdict = chooseVerdict(stats, { failing: failing.length, degraded: tools.length });
  return { verdict, sentence: describeCurrentHealth(stats, tools), tools: tools.slice(0, MAX_NAMED) };
}

/** Nothing is healthy while any other alert fires. A long session is no failure. */
const KINDS_WITH_OWN_VERDICT: Partial<Record<AlertRuleKind, Verdict>> = {
  suspected_loop: 'looping',
  session_over_calls: 'healthy',
};

function chooseVerdict(stats: CurrentStats, troubled: { failing: number; degraded: number }): Verdict {
  const { calls, alerts, activeLoops } = stats;
  if (troubled.failing > 0 || isSurelyAtLeast(stats, FAILING_RATE)) return 'failing';
  const isAlerted = alerts.some(({ kind }) => !(kind in KINDS_WITH_OWN_VERDICT));
  if (troubled.degraded > 0 || isAlerted || isSurelyAtLeast(stats, DEGRADED_RATE)) return 'degraded';
  if (activeLoops > 0 || alerts.some(({ kind }) => kind === 'suspected_loop')) return 'looping';
  return calls === 0 ? 'quiet' : 'healthy';
}

function isSurelyAtLeast({ calls, errors }: ErrorCount, rate: number): boolean {
  return errors >= MIN_ERRORS && (toProportion(errors, calls).low ?? 0) >= rate;
}

const compareByErrors = (one: ToolErrors, other: ToolErrors): number =>
  other.errors - one.errors || one.calls - other.calls || (one.tool < other.tool ? -1 : 1);

function describeCurrentHealth(
  { calls, errors, isOneServer }: CurrentStats,
  tools: readonly ToolErrors[],
): string {
  const [worst] = tools;
  if (worst) {
    const name = isOneServer ? worst.tool : `${worst.server}/${worst.tool}`;
    return `${name} fails ${formatShare(worst)} in the last ${RECENT_MINUTES} minutes${describeOtherTools(tools.length - 1)}`;
  }
  if (calls === 0) return `No tool calls in the last ${RECENT_MINUTES} minutes`;
  return `${formatShare({ calls, errors })} of all calls failed in the last ${RECENT_MINUTES} minutes`;
}

function describeOtherTools(others: number): string {
  if (others === 0) return '';
  return others === 1 ? '; 1 more tool fails' : `; ${formatCount(others)} more tools fail`;
}

interface VerdictContext {
  readonly activeLoops: number;
  readonly isOneServer: boolean;
}

/**
 * @returns a function that assesses the health once the rest is known
 * @throws UpstreamError when the store fails
 */
export async function readCurrentHealth(
  filters: CommonFilters,
  context: QueryContext,
): Promise<(verdictContext: VerdictContext) => CurrentHealth> {
  const range = toRecentRange(context);
  const { tools: rows, all } = await readCallTotals({ range, filters }, context);
  const tools = rows
    .filter(({ kept }) => kept === 1)
    .map(({ server, tool, n, failed }) => ({ server, tool, calls: n, errors: failed }));
  const stats = { calls: all?.n ?? 0, errors: all?.failed ?? 0 };
  const alerts = (context.firingAlerts?.() ?? []).filter((alert) => matchesFilters(alert, filters));
  return (verdictContext) => ({
    range,
    ...assessCurrentHealth({ ...stats, tools, alerts, ...verdictContext }),
    ...stats,
    decides: false,
    firingAlerts: alerts.length,
    alerts: alerts.slice(0, MAX_NAMED),
  });
}

function toRecentRange(context: QueryContext): TimeRange {
  const minuteMs = Math.floor(context.nowMs / MINUTE_MS) * MINUTE_MS;
  return alignRange({ fromMs: minuteMs - RECENT_MINUTES * MINUTE_MS, toMs: context.nowMs }, context);
}

/** A label missing from an alert matches any filter. */
function matchesFilters(alert: FiringAlert, { server, environment, tool, client }: CommonFilters): boolean {
  const fits = (filter: FilterValue | undefined, value: string) =>
    value === '' || passesFilter(filter, value);
  const isOfTool = alert.tools.length === 0 || alert.tools.some((name) => passesFilter(tool, name));
  return (
    isOfTool &&
    fits(server, alert.server) &&
    fits(environment, alert.environment) &&
    fits(client, alert.client)
  );
}
