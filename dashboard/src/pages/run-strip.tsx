// Draws the lanes of a session. The list below says the same in words, so the drawing is one image to a reader that
// cannot see it.
import type { CallRow } from '../../../src/contract/answers.ts';
import { FaultMark } from '../components/outcome.tsx';
import { formatCount, formatNoun } from '../format/format-number.ts';
import { type LaneMark, prepareLanes } from './prepare-lanes.ts';

/** A strip of fewer calls keeps its marks at a readable width. */
const FEWEST_PLACES = 48;
const LANE_HEIGHT = 20;

export function RunStrip({ calls }: { readonly calls: readonly CallRow[] }) {
  const lanes = prepareLanes(calls);
  const places = Math.max(calls.length, FEWEST_PLACES);
  return (
    <figure
      className="strip"
      aria-label={`${formatNoun(calls.length, 'request')} in order, one lane per tool`}
    >
      {lanes.map(({ name, calls: count, marks }) => (
        <div key={name} className="lane">
          <span className="lane-name" title={name}>
            {name} <span className="muted">{formatCount(count)}</span>
          </span>
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
