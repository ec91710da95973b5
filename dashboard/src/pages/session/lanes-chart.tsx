// Draws the lanes of a session, as one image to assistive technology: the list below has the same data.
import type { CallRow } from '../../../../src/contract/calls.ts';
import { FaultIcon } from '../../components/outcome-badge.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { type LaneBlock, prepareLanes, prepareTimedLanes } from './prepare-lanes.ts';
import { formatPause, preparePauseLabels } from './prepare-pauses.ts';
import { toElapsedMs } from './prepare-runs.ts';

/** With fewer calls than this, the blocks keep a readable width. */
const MIN_POSITIONS = 48;
const LANE_HEIGHT = 20;

interface LanesChartProps {
  readonly calls: readonly CallRow[];
  readonly spacing: 'time' | undefined;
}

export function LanesChart({ calls, spacing }: LanesChartProps) {
  return spacing === 'time' ? <TimeLanes calls={calls} /> : <OrderLanes calls={calls} />;
}

/** The session's length in these units; every call is at least one unit wide, so that it stays visible. */
const TIME_AXIS_UNITS = 1_000;
const MIN_BLOCK_WIDTH = 1.5;

function TimeLanes({ calls }: { readonly calls: readonly CallRow[] }) {
  return (
    <figure
      className="strip"
      aria-label={`${formatPlural(calls.length, 'request')} in ${formatDuration(toElapsedMs(calls))}, one lane per tool`}
    >
      {prepareTimedLanes(calls).map(({ name, calls: count, blocks }) => (
        <div key={name} className="lane">
          <LaneName name={name} count={count} />
          <svg
            viewBox={`0 0 ${TIME_AXIS_UNITS} ${LANE_HEIGHT}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {blocks.map(({ key, from, width, fault, repeats }) => (
              <rect
                key={key}
                className={`mark ${fault}${repeats ? ' repeats' : ''}`}
                x={from * (TIME_AXIS_UNITS - MIN_BLOCK_WIDTH)}
                width={Math.max(MIN_BLOCK_WIDTH, width * TIME_AXIS_UNITS)}
                y={LANE_HEIGHT - FAULT_HEIGHTS[fault]}
                height={FAULT_HEIGHTS[fault]}
              />
            ))}
          </svg>
        </div>
      ))}
      <PauseLabels calls={calls} />
      <figcaption className="muted">
        <span>
          {formatDuration(toElapsedMs(calls))} from left to right; what is empty is the agent’s own time
        </span>
      </figcaption>
    </figure>
  );
}

/** The longest pauses, labelled below the lanes at their position. */
function PauseLabels({ calls }: Pick<LanesChartProps, 'calls'>) {
  const labels = preparePauseLabels(calls);
  if (labels.length === 0) return null;
  return (
    <div className="lane gaps">
      <span className="lane-name muted">pauses</span>
      <div>
        {labels.map(({ from, width, ms }) => (
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

function OrderLanes({ calls }: { readonly calls: readonly CallRow[] }) {
  const lanes = prepareLanes(calls);
  const positions = Math.max(calls.length, MIN_POSITIONS);
  return (
    <figure
      className="strip"
      aria-label={`${formatPlural(calls.length, 'request')} in order, one lane per tool`}
    >
      {lanes.map(({ name, calls: count, blocks }) => (
        <div key={name} className="lane">
          <LaneName name={name} count={count} />
          <svg viewBox={`0 0 ${positions} ${LANE_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {blocks.map((block) => (
              <LaneBlockRect key={block.at} block={block} />
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
          <FaultIcon fault="client" /> taller: the agent’s fault
        </span>
        <span>
          <FaultIcon fault="server" /> tallest: the server’s
        </span>
      </figcaption>
    </figure>
  );
}

const FAULT_HEIGHTS = { none: 10, client: 15, server: 20 } as const;

/** Faults differ in height as well as in colour; repeats are joined, first calls are separated. */
function LaneBlockRect({ block: { at, length, fault, repeats } }: { readonly block: LaneBlock }) {
  const height = FAULT_HEIGHTS[fault];
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
