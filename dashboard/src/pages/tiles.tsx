// The figures of the range, each beside the same figure one range earlier, each a link to what is behind it.
import { Link } from 'wouter';
import type { SummaryAnswer } from '../../../src/contract/answers.ts';
import type { LoopsAnswer } from '../../../src/contract/loops.ts';
import { useNewestLoops } from '../api/questions.ts';
import { formatCallRate } from '../charts/prepare-call-rate.ts';
import { FEW_CALLS } from '../charts/prepared-chart.ts';
import { Count, FewCalls } from '../components/figures.tsx';
import { type Change, formatChange } from '../format/format-change.ts';
import { formatDuration } from '../format/format-duration.ts';
import { formatCount, formatNoun, formatRate, formatSignificant, NOTHING } from '../format/format-number.ts';
import { callsPath, loopsPath, sessionsPath, toolsPath } from '../paths.ts';
import { activeFilters, type View } from '../view/view.ts';
import { wastedShare } from './prepare-waste.ts';

interface Tile {
  readonly label: string;
  readonly figure: React.ReactNode;
  readonly change: Change;
  /** What the figure rests on. */
  readonly base: string;
  readonly path: string;
}

type Totals = SummaryAnswer['totals'];

interface TilesProps {
  readonly summary: SummaryAnswer;
  readonly view: View;
}

export function Tiles({ summary, view }: TilesProps) {
  const loops = useNewestLoops(view);
  const tiles = [...toTiles(summary, view), ...toLoopTiles(loops.data, { summary, view })];
  return (
    <ul className="tiles" aria-label="Figures of the range">
      {tiles.map(({ label, figure, change, base, path }) => (
        <li key={label}>
          <Link href={path}>
            <span className="label">{label}</span>
            <strong>{figure}</strong>
            <span className={`change ${change.tone}`}>
              {change.arrow ? <span aria-hidden="true">{change.arrow} </span> : null}
              {change.text}
            </span>
            <span className="base muted">{base}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function toTiles({ totals, previous, range }: SummaryAnswer, view: View): Tile[] {
  const judged = Math.min(totals.calls, previous.calls) >= FEW_CALLS;
  const compare = (
    pick: (totals: Totals) => number | null,
    format: (value: number) => string,
    good?: 'down',
  ) => formatChange([pick(totals), pick(previous)], { format, judged, ...(good && { good }) });
  return [
    {
      label: 'Calls',
      figure: <Count value={totals.calls} />,
      change: compare(({ calls }) => calls, formatCount),
      base: formatCallRate(totals.calls / ((range.toMs - range.fromMs) / 60_000)),
      path: callsPath(view),
    },
    {
      label: 'Sessions',
      figure: <Count value={totals.sessions} />,
      change: compare(({ sessions }) => sessions, formatCount),
      base:
        totals.sessions > 0 ? `${formatSignificant(totals.calls / totals.sessions)} calls each` : 'no calls',
      path: sessionsPath(view),
    },
    {
      label: 'Error rate',
      figure: withMark(totals, formatRate(totals.errorRate)),
      change: compare(({ errorRate }) => errorRate, formatRate, 'down'),
      base: `${formatCount(totals.errors)} of ${formatNoun(totals.calls, 'call')}`,
      path: callsPath(view, { errors: 'true' }),
    },
    {
      label: 'p95',
      figure: withMark(totals, formatDuration(totals.p95Ms)),
      change: compare(({ p95Ms }) => p95Ms, formatDuration, 'down'),
      base: `p50 ${formatDuration(totals.p50Ms)}`,
      path: toolsPath(view, { sort: '-p95' }),
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

/** Loops have no figure of the range before; what stands in its place says what the figure is part of. */
function toLoopTiles(answer: LoopsAnswer | undefined, { summary, view }: TilesProps): Tile[] {
  const { calls } = summary.totals;
  const share = answer && wastedShare(answer, { calls, isFiltered: activeFilters(view).length > 0 });
  const found = answer ? formatNoun(answer.total, 'loop') : NOTHING;
  const going = answer?.loops.find(({ state }) => state === 'active');
  const say = (text: string): Change => ({ arrow: '', text, tone: 'neutral' });
  return [
    {
      label: 'Looping now',
      figure: answer ? <Count value={answer.active} /> : NOTHING,
      change: say(`of ${found}`),
      base: going ? going.tools.join(', ') : 'none goes on',
      path: loopsPath(view, { state: going ? 'active' : undefined }),
    },
    {
      label: 'Wasted calls',
      figure: answer ? <Count value={answer.wastedCalls} /> : NOTHING,
      change: say(share === undefined ? `in ${found}` : `${formatRate(share)} of all calls`),
      base: share === undefined ? 'from first to last' : `in ${found}`,
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
