// The figures of the range, each beside the same figure of an earlier time, with its course, each a link to what is behind it.
import { Link } from 'wouter';
import type { SummaryAnswer } from '../../../src/contract/answers.ts';
import type { LoopsAnswer } from '../../../src/contract/loops.ts';
import type { TrendAnswer } from '../../../src/contract/overview.ts';
import { useTrend } from '../api/overview-questions.ts';
import { useLoopsOf, useNewestLoops } from '../api/questions.ts';
import { formatCallRate } from '../charts/prepare-call-rate.ts';
import { FEW_CALLS } from '../charts/prepared-chart.ts';
import { Count, FewCalls, Rate } from '../components/figures.tsx';
import { type Change, formatChange } from '../format/format-change.ts';
import { formatDuration } from '../format/format-duration.ts';
import { formatEarlier } from '../format/format-earlier.ts';
import { formatCount, formatNoun, formatRate, formatSignificant, NOTHING } from '../format/format-number.ts';
import { formatMoment } from '../format/format-time.ts';
import { loopsPath, sessionsPath, toCalls, toolsPath } from '../paths.ts';
import { useZone } from '../view/preferences.ts';
import { activeFilters, type View } from '../view/view.ts';
import {
  errorRateOf,
  prepareSpark,
  type Spark,
  type SparkFigure,
  toRunningRate,
} from './overview/prepare-spark.ts';
import { SparkLine } from './overview/spark-line.tsx';
import { TilesOverTime } from './overview/tiles-over-time.tsx';
import { toTrendTable } from './overview/trend-table.tsx';
import { wastedShare } from './prepare-waste.ts';

interface Tile {
  readonly label: string;
  readonly figure: React.ReactNode;
  readonly change: Change;
  /** What the figure rests on. */
  readonly base: string;
  readonly path: string;
  /** Its course over the range, where it has one. */
  readonly spark?: Spark | undefined;
}

type Totals = SummaryAnswer['totals'];

interface TilesProps {
  readonly summary: SummaryAnswer;
  readonly view: View;
}

export function Tiles({ summary, view }: TilesProps) {
  const zone = useZone();
  const loops = useNewestLoops(view);
  const loopsBefore = useLoopsOf(view, summary.previousRange ?? undefined);
  const trend = useTrend(view);
  const draw = (figure: (answer: TrendAnswer) => SparkFigure): Spark | undefined =>
    trend.data && prepareSpark(trend.data, figure(trend.data), trend.dataUpdatedAt);
  const sparks: Sparks = {
    calls: draw((answer) => toRunningRate(answer, ({ calls }) => calls, trend.dataUpdatedAt)),
    sessions: draw(
      () =>
        ({ sessions }) =>
          sessions,
    ),
    errorRate: draw(() => errorRateOf),
    p95: draw(
      () =>
        ({ p95Ms }) =>
          p95Ms,
    ),
  };
  const tiles = [
    ...toTiles({ summary, view, sparks }),
    ...toLoopTiles(loops.data, { summary, view, before: loopsBefore.data }),
  ];
  const { previousRange } = summary;
  const when = previousRange
    ? `${formatMoment(previousRange.fromMs, zone)} to ${formatMoment(previousRange.toMs, zone)}`
    : undefined;
  const table = trend.data && toTrendTable(trend.data, zone);
  return (
    <div className="tiles-frame">
      <ul className="tiles" aria-label="Figures of the range">
        {tiles.map(({ label, figure, change, base, path, spark }) => (
          <li key={label}>
            <Link href={path}>
              <span className="label">{label}</span>
              <strong>{figure}</strong>
              {spark ? <SparkLine spark={spark} /> : <span className="spark" />}
              <span className={`change ${change.tone}`} title={when}>
                {change.arrow ? <span aria-hidden="true">{change.arrow} </span> : null}
                {change.text}
              </span>
              <span className="base muted">{base}</span>
            </Link>
          </li>
        ))}
      </ul>
      {table && table.rows.length > 0 ? <TilesOverTime table={table} range={trend.data?.range} /> : null}
    </div>
  );
}

type Sparks = Readonly<Record<'calls' | 'sessions' | 'errorRate' | 'p95', Spark | undefined>>;

/** "before", "a week earlier"; a figure of a time that is not kept is not told. */
function earlierOf({ range, previousRange }: SummaryAnswer, { compare }: View): string | undefined {
  return previousRange ? formatEarlier(range.fromMs - previousRange.fromMs, compare) : undefined;
}

function toTiles({ summary, view, sparks }: TilesProps & { readonly sparks: Sparks }): Tile[] {
  const { totals, previous, range } = summary;
  const earlier = earlierOf(summary, view);
  const judged = Math.min(totals.calls, previous.calls) >= FEW_CALLS;
  const compare = (
    pick: (totals: Totals) => number | null,
    format: (value: number) => string,
    good?: 'down',
  ) => formatChange([pick(totals), pick(previous)], { format, judged, earlier, ...(good && { good }) });
  return [
    {
      label: 'Calls',
      figure: <Count value={totals.calls} />,
      change: compare(({ calls }) => calls, formatCount),
      base: formatCallRate(totals.calls / ((range.toMs - range.fromMs) / 60_000)),
      path: toCalls(view),
      spark: sparks.calls,
    },
    {
      label: 'Sessions',
      figure: <Count value={totals.sessions} />,
      change: compare(({ sessions }) => sessions, formatCount),
      base:
        totals.sessions > 0 ? `${formatSignificant(totals.calls / totals.sessions)} calls each` : 'no calls',
      path: sessionsPath(view),
      spark: sparks.sessions,
    },
    {
      label: 'Error rate',
      figure: <Rate rate={totals.errorRate} n={totals.calls} />,
      change: compare(({ errorRate }) => errorRate, formatRate, 'down'),
      base: `${formatCount(totals.errors)} of ${formatNoun(totals.calls, 'call')}`,
      path: toCalls(view, { errors: 'true' }),
      spark: sparks.errorRate,
    },
    {
      label: 'p95',
      figure: withMark(totals, formatDuration(totals.p95Ms)),
      change: compare(({ p95Ms }) => p95Ms, formatDuration, 'down'),
      base: `p50 ${formatDuration(totals.p50Ms)}`,
      path: toolsPath(view, { sort: '-p95' }),
      spark: sparks.p95,
    },
    {
      label: 'Over 30 calls',
      figure: <Count value={totals.sessionsOverThirty} />,
      change: compare(({ sessionsOverThirty }) => sessionsOverThirty, formatCount),
      base: `of ${formatNoun(totals.sessions, 'session')}`,
      path: sessionsPath(view, { minCalls: '31', order: 'calls' }),
    },
    {
      label: 'Tools never called',
      figure: <Count value={totals.neverCalledTools} />,
      change: compare(({ neverCalledTools }) => neverCalledTools, formatCount),
      base: 'since first listed',
      path: toolsPath(view, { tab: 'never' }),
    },
  ];
}

interface LoopTilesProps extends TilesProps {
  /** Of the time that is compared with. */
  readonly before: LoopsAnswer | undefined;
}

/** What goes on now has no earlier figure; what stands in its place says what the figure is part of. */
function toLoopTiles(answer: LoopsAnswer | undefined, { summary, view, before }: LoopTilesProps): Tile[] {
  const { calls } = summary.totals;
  const share = answer && wastedShare(answer, { calls, isFiltered: activeFilters(view).length > 0 });
  const found = answer ? formatNoun(answer.total, 'loop') : NOTHING;
  const going = answer?.loops.find(({ state }) => state === 'active');
  return [
    {
      label: 'Looping now',
      figure: answer ? <Count value={answer.active} /> : NOTHING,
      change: { arrow: '', text: `of ${found}`, tone: 'neutral' },
      base: going ? going.tools.join(', ') : 'none goes on',
      path: loopsPath(view, { state: going ? 'active' : undefined }),
    },
    {
      label: 'Wasted calls',
      figure: answer ? <Count value={answer.wastedCalls} /> : NOTHING,
      change: formatChange([answer?.wastedCalls ?? null, before?.wastedCalls ?? null], {
        format: formatCount,
        earlier: earlierOf(summary, view),
        good: 'down',
      }),
      base: share === undefined ? `in ${found}` : `${formatRate(share)} of all calls`,
      path: loopsPath(view),
    },
  ];
}

function withMark({ calls }: Totals, text: string) {
  return (
    <>
      {text} <FewCalls n={calls} />
    </>
  );
}
