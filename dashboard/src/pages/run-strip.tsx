// Draws the lanes of a session. The list below says the same in words, so the drawing is one image to a reader that
// cannot see it.
import type { CallRow } from '../../../src/contract/answers.ts';
import { FaultMark } from '../components/outcome.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { formatCount, formatNoun } from '../format/format-number.ts';
import { type LaneMark, prepareLanes, prepareTimedLanes } from './prepare-lanes.ts';
import { formatPause, prepareGaps } from './prepare-pauses.ts';
import { spanOf } from './prepare-runs.ts';

/** A strip of fewer calls keeps its marks at a readable width. */
const FEWEST_PLACES = 48;
const LANE_HEIGHT = 20;

interface RunStripProps {
  readonly calls: readonly CallRow[];
  readonly spacing: 'time' | undefined;
}

export function RunStrip({ calls, spacing }: RunStripProps) {
  return spacing === 'time' ? <TimeStrip calls={calls} /> : <OrderStrip calls={calls} />;
}

/** In thousandths of the session's length; a call is never too short to be seen. */
const TIME_PLACES = 1_000;
const SHORTEST = 1.5;

function TimeStrip({ calls }: { readonly calls: readonly CallRow[] }) {
  return (
    <figure
      className="strip"
      aria-label={`${formatNoun(calls.length, 'request')} in ${formatDuration(spanOf(calls))}, one lane per tool`}
    >
      {prepareTimedLanes(calls).map(({ name, calls: count, marks }) => (
        <div key={name} className="lane">
          <LaneName name={name} count={count} />
          <svg viewBox={`0 0 ${TIME_PLACES} ${LANE_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {marks.map(({ key, from, width, fault, repeats }) => (
              <rect
                key={key}
                className={`mark ${fault}${repeats ? ' repeats' : ''}`}
                x={from * (TIME_PLACES - SHORTEST)}
                width={Math.max(SHORTEST, width * TIME_PLACES)}
                y={LANE_HEIGHT - HEIGHTS[fault]}
                height={HEIGHTS[fault]}
              />
            ))}
          </svg>
        </div>
      ))}
      <Gaps calls={calls} />
      <figcaption className="muted">
        <span>{formatDuration(spanOf(calls))} from left to right; what is empty is the agent’s own time</span>
      </figcaption>
    </figure>
  );
}

/** The longest pauses, in words below the lanes where they were. */
function Gaps({ calls }: Pick<RunStripProps, 'calls'>) {
  const gaps = prepareGaps(calls);
  if (gaps.length === 0) return null;
  return (
    <div className="lane gaps">
      <span className="lane-name muted">pauses</span>
      <div>
        {gaps.map(({ from, width, ms }) => (
          <span
            key={from}
            style={{ insetInlineStart: `${from * 100}%`, inlineSize: `${width * 100}%` }}
            title={formatPause(ms)}
          >
            {formatPause(ms)}
          </span>
        ))}
      </div>
    </div>
  );
}

function LaneName({ name, count }: { readonly name: string; readonly count: number }) {
  return (
    <span className="lane-name" title={name}>
      {name} <span className="muted">{formatCount(count)}</span>
    </span>
  );
}

function OrderStrip({ calls }: { readonly calls: readonly CallRow[] }) {
  const lanes = prepareLanes(calls);
  const places = Math.max(calls.length, FEWEST_PLACES);
  return (
    <figure
      className="strip"
      aria-label={`${formatNoun(calls.length, 'request')} in order, one lane per tool`}
    >
      {lanes.map(({ name, calls: count, marks }) => (
        <div key={name} className="lane">
          <LaneName name={name} count={count} />
          <svg viewBox={`0 0 ${places} ${LANE_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {marks.map((mark) => (
              <Mark key={mark.at} mark={mark} />
            ))}
          </svg>
        </div>
      ))}
      <figcaption className="muted">
        <span>
          <i className="key-mark" /> a call
        </span>
        <span>
          <i className="key-mark repeat" /> the same call again
        </span>
        <span>
          <FaultMark fault="client" /> taller: the agent’s fault
        </span>
        <span>
          <FaultMark fault="server" /> tallest: the server’s
        </span>
      </figcaption>
    </figure>
  );
}

const HEIGHTS = { none: 10, client: 15, server: 20 } as const;

/** Faults differ in height as well as in colour; repeats are joined, first calls stand apart. */
function Mark({ mark: { at, length, fault, repeats } }: { readonly mark: LaneMark }) {
  const height = HEIGHTS[fault];
  return (
    <rect
      className={`mark ${fault}${repeats ? ' repeats' : ''}`}
      x={at + (repeats ? 0 : 0.12)}
      width={length - (repeats ? 0 : 0.12)}
      y={LANE_HEIGHT - height}
      height={height}
    />
  );
}
