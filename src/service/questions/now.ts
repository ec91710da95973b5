// How the servers do right now, apart from the range that a page shows: an outage of ten minutes is nothing in the rate of a week.
// Each tool is judged on its own, because one that always fails is nothing in the rate of a busy server either. Thresholds hold
// for the lower end of the 95 % interval, so that a few unlucky calls say nothing.

import type { SummaryAnswer } from '../../contract/answers.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import type { Filters } from './filters.ts';
import { alignRange } from './grain.ts';
import type { Asking, FiringAlert } from './ports.ts';
import { toProportion } from './proportion.ts';
import { readTotals } from './tool-totals.ts';
import {
  DEGRADED_RATE,
  type ErrorCount,
  FAILING_RATE,
  formatCount,
  formatShare,
  type Verdict,
} from './verdict.ts';

type Now = NonNullable<SummaryAnswer['now']>;

const MINUTE_MS = 60_000;
/** Ten closed minutes and the running one. */
const NOW_MINUTES = 10;
/** Fewer errors than this are nobody's outage. */
const ENOUGH_ERRORS = 5;
/** Error rates of one tool, as fractions of its calls. */
const TOOL_FAILING_RATE = 0.5;
const TOOL_DEGRADED_RATE = 0.2;
const MOST_NAMED = 5;

interface ToolNow extends ErrorCount {
  readonly server: string;
  readonly tool: string;
}

export interface NowFigures extends ErrorCount {
  /** All tools that were called. */
  readonly tools: readonly ToolNow[];
  readonly alerts: readonly FiringAlert[];
  readonly activeLoops: number;
  /** A tool's name alone says enough as long as one server is asked about. */
  readonly isOneServer: boolean;
}

/** What `judgeNow` says; the range comes with the figures. */
export type NowJudgement = Pick<Now, 'verdict' | 'sentence' | 'tools'>;

/** The verdicts that outweigh those of a range, the worst first. */
const TROUBLES: readonly Verdict[] = ['failing', 'degraded', 'looping'];

/** Whether a verdict of now is worse than that of a range. */
export function isWorse(now: Verdict, ofRange: Verdict): boolean {
  return troubleOf(now) < troubleOf(ofRange);
}

function troubleOf(verdict: Verdict): number {
  const at = TROUBLES.indexOf(verdict);
  return at < 0 ? TROUBLES.length : at;
}

export function judgeNow(figures: NowFigures): NowJudgement {
  const failing = figures.tools.filter((one) => surelyAtLeast(one, TOOL_FAILING_RATE));
  const tools = figures.tools.filter((one) => surelyAtLeast(one, TOOL_DEGRADED_RATE)).sort(byErrors);
  const verdict = verdictOf(figures, { failing: failing.length, degraded: tools.length });
  return { verdict, sentence: formatNow(figures, tools), tools: tools.slice(0, MOST_NAMED) };
}

function verdictOf(figures: NowFigures, troubled: { failing: number; degraded: number }): Verdict {
  const { calls, alerts, activeLoops } = figures;
  if (troubled.failing > 0 || surelyAtLeast(figures, FAILING_RATE)) return 'failing';
  const hasStorm = alerts.some(({ kind }) => kind === 'storm');
  if (troubled.degraded > 0 || hasStorm || surelyAtLeast(figures, DEGRADED_RATE)) return 'degraded';
  // A long session is worth an alert and no verdict.
  if (activeLoops > 0 || alerts.some(({ kind }) => kind === 'suspected_loop')) return 'looping';
  return calls === 0 ? 'quiet' : 'healthy';
}

function surelyAtLeast({ calls, errors }: ErrorCount, rate: number): boolean {
  return errors >= ENOUGH_ERRORS && (toProportion(errors, calls).low ?? 0) >= rate;
}

const byErrors = (one: ToolNow, other: ToolNow): number =>
  other.errors - one.errors || one.calls - other.calls || (one.tool < other.tool ? -1 : 1);

function formatNow({ calls, errors, isOneServer }: NowFigures, tools: readonly ToolNow[]): string {
  const [worst] = tools;
  if (worst) {
    const name = isOneServer ? worst.tool : `${worst.server}/${worst.tool}`;
    return `${name} fails ${formatShare(worst)} in the last ${NOW_MINUTES} minutes${formatOthers(tools.length - 1)}`;
  }
  if (calls === 0) return `No tool calls in the last ${NOW_MINUTES} minutes`;
  return `${formatShare({ calls, errors })} of all calls failed in the last ${NOW_MINUTES} minutes`;
}

function formatOthers(others: number): string {
  if (others === 0) return '';
  return others === 1 ? '; 1 more tool fails' : `; ${formatCount(others)} more tools fail`;
}

interface Around {
  readonly activeLoops: number;
  readonly isOneServer: boolean;
}

/**
 * @returns what judges, once it is known what is around it
 * @throws UpstreamError when the store fails
 */
export async function readNow(filters: Filters, asking: Asking): Promise<(around: Around) => Now> {
  const range = rangeOfNow(asking);
  const { tools: rows, all } = await readTotals({ range, filters }, asking);
  const tools = rows
    .filter(({ kept }) => kept === 1)
    .map(({ server, tool, n, failed }) => ({ server, tool, calls: n, errors: failed }));
  const figures = { calls: all?.n ?? 0, errors: all?.failed ?? 0 };
  const alerts = (asking.firingAlerts?.() ?? []).filter((alert) => isAskedFor(alert, filters));
  return (around) => ({
    range,
    ...judgeNow({ ...figures, tools, alerts, ...around }),
    ...figures,
    decides: false,
    firingAlerts: alerts.length,
    alerts: alerts.slice(0, MOST_NAMED),
  });
}

function rangeOfNow(asking: Asking): TimeRange {
  const minuteMs = Math.floor(asking.nowMs / MINUTE_MS) * MINUTE_MS;
  return alignRange({ fromMs: minuteMs - NOW_MINUTES * MINUTE_MS, toMs: asking.nowMs }, asking);
}

/** What an alert does not say of itself does not exclude it. */
function isAskedFor(alert: FiringAlert, { server, environment, tool, client }: Filters): boolean {
  const fits = (asked: string | undefined, said: string) =>
    asked === undefined || said === '' || said === asked;
  const isOfTool = tool === undefined || alert.tools.length === 0 || alert.tools.includes(tool);
  return (
    isOfTool &&
    fits(server, alert.server) &&
    fits(environment, alert.environment) &&
    fits(client, alert.client)
  );
}
