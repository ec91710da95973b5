// The stats of the range as tiles, each with its previous value, a sparkline and a link to its details.
import { Link } from 'wouter';
import type { LoopsResponse } from '../../../../src/contract/loops.ts';
import type { TrendResponse } from '../../../../src/contract/overview.ts';
import type { SummaryResponse } from '../../../../src/contract/responses.ts';
import { useTrend } from '../../api/overview-queries.ts';
import { useLoopTotals, useNewestLoops } from '../../api/queries.ts';
import { formatCallRate } from '../../charts/prepare-call-rate.ts';
import { MIN_RELIABLE_CALLS } from '../../charts/prepared-chart.ts';
import { Count, FewCallsBadge, Rate } from '../../components/values.tsx';
import { type Change, formatChange, formatPreviousPeriod } from '../../format/format-change.ts';
import { formatDuration } from '../../format/format-duration.ts';
import {
  formatCount,
  formatPlural,
  formatRate,
  formatSignificant,
  NO_VALUE,
} from '../../format/format-number.ts';
import { formatDateTime } from '../../format/format-time.ts';
import { countedCallsPath, loopsPath, sessionsPath, toolsPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import { activeFilters, type View } from '../../view/view.ts';
import { toWastedShare } from '../loops/to-wasted-share.ts';
import {
  prepareSparkline,
  type SparklinePaths,
  type SparklineValue,
  toElapsedTimeRate,
  toErrorRate,
} from './prepare-sparkline.ts';
import { Sparkline } from './sparkline.tsx';
import { TileTrends } from './tile-trends.tsx';
import { toTrendTable } from './trend-table.tsx';

interface Tile {
  readonly label: string;
  readonly value: React.ReactNode;
  readonly change: Change;
  /** What the value is based on. */
  readonly caption: string;
  readonly path: string;
  /** The sparkline over the range, if there is one. */
  readonly sparkline?: SparklinePaths | undefined;
}

type Totals = SummaryResponse['totals'];

interface SummaryTilesProps {
  readonly summary: SummaryResponse;
  readonly view: View;
}

export function SummaryTiles({ summary, view }: SummaryTilesProps) {
  const zone = useZone();
  const loops = useNewestLoops(view);
  const loopsBefore = useLoopTotals(view, summary.previousRange ?? undefined);
  const trend = useTrend(view);
  const toSparkline = (value: (response: TrendResponse) => SparklineValue): SparklinePaths | undefined =>
    trend.data && prepareSparkline(trend.data, value(trend.data), trend.dataUpdatedAt);
  const sparklines: Sparklines = {
    calls: toSparkline((response) => toElapsedTimeRate(response, ({ calls }) => calls, trend.dataUpdatedAt)),
    sessions: toSparkline(
      () =>
        ({ sessions }) =>
          sessions,
    ),
    errorRate: toSparkline(() => toErrorRate),
    p95: toSparkline(
      () =>
        ({ p95Ms }) =>
          p95Ms,
    ),
  };
  const tiles = [
    ...toSummaryTiles({ summary, view, sparklines }),
    ...toLoopTiles(loops.data, { summary, view, before: loopsBefore.data }),
  ];
  const { previousRange } = summary;
  const when = previousRange
    ? `${formatDateTime(previousRange.fromMs, zone)} to ${formatDateTime(previousRange.toMs, zone)}`
    : undefined;
  const table = trend.data && toTrendTable(trend.data, zone);
  return (
    <div className="tiles-frame">
      <ul className="tiles" aria-label="Figures of the range">
        {tiles.map(({ label, value, change, caption, path, sparkline }) => (
          <li key={label}>
            <Link href={path}>
              <span className="label">{label}</span>
              <strong>{value}</strong>
              {sparkline ? <Sparkline paths={sparkline} /> : <span className="spark" />}
              <span className={`change ${change.tone}`} title={when}>
                {change.arrow ? <span aria-hidden="true">{change.arrow} </span> : null}
                {change.text}
              </span>
              <span className="base muted">{caption}</span>
            </Link>
          </li>
        ))}
      </ul>
      {table && table.rows.length > 0 ? <TileTrends table={table} range={trend.data?.range} /> : null}
    </div>
  );
}

type Sparklines = Readonly<Record<'calls' | 'sessions' | 'errorRate' | 'p95', SparklinePaths | undefined>>;

/** "before" or "a week earlier"; undefined when that period is no longer retained. */
function toPreviousPeriodLabel(
  { range, previousRange }: SummaryResponse,
  { compare }: View,
): string | undefined {
  return previousRange ? formatPreviousPeriod(range.fromMs - previousRange.fromMs, compare) : undefined;
}

function toSummaryTiles({
  summary,
  view,
  sparklines,
}: SummaryTilesProps & { readonly sparklines: Sparklines }): Tile[] {
  const { totals, previous, range } = summary;
  const previousLabel = toPreviousPeriodLabel(summary, view);
  const showsTone = Math.min(totals.calls, previous.calls) >= MIN_RELIABLE_CALLS;
  const compare = (
    pick: (totals: Totals) => number | null,
    format: (value: number) => string,
    good?: 'down',
  ) =>
    formatChange([pick(totals), pick(previous)], { format, showsTone, previousLabel, ...(good && { good }) });
  return [
    {
      label: 'Calls',
      value: <Count value={totals.calls} />,
      change: compare(({ calls }) => calls, formatCount),
      caption: formatCallRate(totals.calls / ((range.toMs - range.fromMs) / 60_000)),
      path: countedCallsPath(view),
      sparkline: sparklines.calls,
    },
    {
      label: 'Sessions',
      value: <Count value={totals.sessions} />,
      change: compare(({ sessions }) => sessions, formatCount),
      caption:
        totals.sessions > 0 ? `${formatSignificant(totals.calls / totals.sessions)} calls each` : 'no calls',
      path: sessionsPath(view),
      sparkline: sparklines.sessions,
    },
    {
      label: 'Error rate',
      value: <Rate rate={totals.errorRate} n={totals.calls} />,
      change: compare(({ errorRate }) => errorRate, formatRate, 'down'),
      caption: `${formatCount(totals.errors)} of ${formatPlural(totals.calls, 'call')}`,
      path: countedCallsPath(view, { errors: 'true' }),
      sparkline: sparklines.errorRate,
    },
    {
      label: 'p95',
      value: withFewCallsBadge(totals, formatDuration(totals.p95Ms)),
      change: compare(({ p95Ms }) => p95Ms, formatDuration, 'down'),
      caption: `p50 ${formatDuration(totals.p50Ms)}`,
      path: toolsPath(view, { sort: '-p95' }),
      sparkline: sparklines.p95,
    },
    {
      label: 'Over 30 calls',
      value: <Count value={totals.sessionsOverThirty} />,
      change: compare(({ sessionsOverThirty }) => sessionsOverThirty, formatCount),
      caption: `of ${formatPlural(totals.sessions, 'session')}`,
      path: sessionsPath(view, { minCalls: '31', order: 'calls' }),
    },
    {
      label: 'Tools never called',
      value: <Count value={totals.neverCalledTools} />,
      change: compare(({ neverCalledTools }) => neverCalledTools, formatCount),
      caption: 'since first listed',
      path: toolsPath(view, { tab: 'never' }),
    },
  ];
}

interface LoopTilesProps extends SummaryTilesProps {
  /** Of the previous period. */
  readonly before: LoopsResponse | undefined;
}

/** Current loops have no previous value; the tile shows the total instead. */
function toLoopTiles(response: LoopsResponse | undefined, { summary, view, before }: LoopTilesProps): Tile[] {
  const { calls } = summary.totals;
  const share = response && toWastedShare(response, { calls, isFiltered: activeFilters(view).length > 0 });
  const found = response ? formatPlural(response.total, 'loop') : NO_VALUE;
  const activeLoop = response?.loops.find(({ state }) => state === 'active');
  return [
    {
      label: 'Looping now',
      value: response ? <Count value={response.active} /> : NO_VALUE,
      change: { arrow: '', text: `of ${found}`, tone: 'neutral' },
      caption: activeLoop ? activeLoop.tools.join(', ') : 'none goes on',
      path: loopsPath(view, { state: activeLoop ? 'active' : undefined }),
    },
    {
      label: 'Wasted calls',
      value: response ? <Count value={response.wastedCalls} /> : NO_VALUE,
      change: formatChange([response?.wastedCalls ?? null, before?.wastedCalls ?? null], {
        format: formatCount,
        previousLabel: toPreviousPeriodLabel(summary, view),
        good: 'down',
      }),
      caption: share === undefined ? `in ${found}` : `${formatRate(share)} of all calls`,
      path: loopsPath(view),
    },
  ];
}

function withFewCallsBadge({ calls }: Totals, text: string) {
  return (
    <>
      {text} <FewCallsBadge n={calls} />
    </>
  );
}
