// The calls of a session as a strip of lanes, one per tool, or as a table. Assistive technology gets the strip as
// one image: the table has the same data.
import type { ReactNode } from 'react';
import type { CallRow } from '../../../../src/contract/calls.ts';
import type { SessionRow } from '../../../../src/contract/sessions.ts';
import type { Fault } from '../../../../src/core/model/outcome.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import type { ExportTable } from '../../components/data-table.tsx';
import { FaultIcon, formatOutcome } from '../../components/outcome-badge.tsx';
import { countColumn, durationColumn, textColumn, timeColumn } from '../../components/table-columns.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { formatClock, type Zone } from '../../format/format-time.ts';
import { toCallKey } from '../../view/call-key.ts';
import { useZone } from '../../view/preferences.ts';
import { type ComparableCall, isSameCall } from './compare-calls.ts';
import { toCallName } from './describe-session.ts';
import { prepareLanes, prepareTimedLanes } from './prepare-lanes.ts';
import { formatPause, preparePauseLabels } from './prepare-pauses.ts';
import { toElapsedMs } from './prepare-runs.ts';

interface LanesPanelProps {
  readonly calls: readonly CallRow[];
  readonly session: SessionRow;
  readonly spacing: 'time' | undefined;
}

export function LanesPanel({ calls, session, spacing }: LanesPanelProps) {
  const zone = useZone();
  return (
    <ChartPanel
      id="run"
      title="Calls by tool"
      of={{ server: session.server, session: session.sessionId }}
      table={toLanesTable(calls, zone)}
    >
      {spacing === 'time' ? <TimeLanes calls={calls} /> : <OrderLanes calls={calls} />}
    </ChartPanel>
  );
}

/** With fewer calls than this, the blocks keep a readable width. */
const MIN_POSITIONS = 48;
const BLOCK_GAP = 0.12;

/** Repeats are joined; first calls are separated. */
function OrderLanes({ calls }: { readonly calls: readonly CallRow[] }) {
  const lanes = prepareLanes(calls).map((lane) => ({
    ...lane,
    bars: lane.blocks.map(({ at, length, fault, repeats }) => {
      const gap = repeats ? 0 : BLOCK_GAP;
      return { key: String(at), x: at + gap, width: length - gap, fault, repeats };
    }),
  }));
  return (
    <figure
      className="strip"
      aria-label={`${formatPlural(calls.length, 'request')} in order, one lane per tool`}
    >
      <Lanes lanes={lanes} units={Math.max(calls.length, MIN_POSITIONS)} />
      <figcaption className="muted">
        <LegendEntry mark={<i className="key-mark" />}>call</LegendEntry>
        <LegendEntry mark={<i className="key-mark repeat" />}>repeated call</LegendEntry>
        <LegendEntry mark={<FaultIcon fault="client" />}>client error</LegendEntry>
        <LegendEntry mark={<FaultIcon fault="server" />}>server error</LegendEntry>
      </figcaption>
    </figure>
  );
}

function LegendEntry({ mark, children }: { readonly mark: ReactNode; readonly children: string }) {
  return (
    <span>
      {mark} {children}
    </span>
  );
}

/** The session's length in these units; every call is at least the minimum wide, so that it stays visible. */
const TIME_AXIS_UNITS = 1_000;
const MIN_BLOCK_WIDTH = 1.5;

function TimeLanes({ calls }: { readonly calls: readonly CallRow[] }) {
  const elapsed = formatDuration(toElapsedMs(calls));
  const lanes = prepareTimedLanes(calls).map((lane) => ({
    ...lane,
    bars: lane.blocks.map(({ from, width, ...mark }) => ({
      ...mark,
      x: from * (TIME_AXIS_UNITS - MIN_BLOCK_WIDTH),
      width: Math.max(MIN_BLOCK_WIDTH, width * TIME_AXIS_UNITS),
    })),
  }));
  return (
    <figure
      className="strip"
      aria-label={`${formatPlural(calls.length, 'request')} in ${elapsed}, one lane per tool`}
    >
      <Lanes lanes={lanes} units={TIME_AXIS_UNITS} />
      <PauseLabels calls={calls} />
      <figcaption className="muted">
        <span>{elapsed} from left to right; gaps are the agent’s pauses</span>
      </figcaption>
    </figure>
  );
}

const LANE_HEIGHT = 20;
/** Faults differ in height as well as in colour. */
const FAULT_HEIGHTS = { none: 10, client: 15, server: 20 } as const;

interface LaneBars {
  readonly name: string;
  readonly calls: number;
  readonly bars: readonly {
    readonly key: string;
    readonly x: number;
    readonly width: number;
    readonly fault: Fault;
    readonly repeats: boolean;
  }[];
}

function Lanes({ lanes, units }: { readonly lanes: readonly LaneBars[]; readonly units: number }) {
  return lanes.map(({ name, calls, bars }) => (
    <div key={name} className="lane">
      <span className="lane-name" title={name}>
        {name} <span className="muted">{formatCount(calls)}</span>
      </span>
      <svg viewBox={`0 0 ${units} ${LANE_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ key, x, width, fault, repeats }) => (
          <rect
            key={key}
            className={`mark ${fault}${repeats ? ' repeats' : ''}`}
            x={x}
            width={width}
            y={LANE_HEIGHT - FAULT_HEIGHTS[fault]}
            height={FAULT_HEIGHTS[fault]}
          />
        ))}
      </svg>
    </div>
  ));
}

function PauseLabels({ calls }: { readonly calls: readonly CallRow[] }) {
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

interface LanesTableRow {
  readonly call: CallRow;
  /** From 1. */
  readonly position: number;
  readonly lane: string;
  readonly repeats: boolean;
}

function toLanesTable(calls: readonly ComparableCall[], zone: Zone): ExportTable<LanesTableRow> {
  return {
    label: 'Calls by tool, table',
    rows: toLanesTableRows(calls),
    keyOf: ({ call }) => toCallKey(call),
    columns: [
      countColumn(['place', '#'], ({ position }) => position),
      {
        ...timeColumn<LanesTableRow>(['startedAt', 'Started'], ({ call }) => call.startedAt, { zone }),
        cell: ({ call }) => formatClock(Date.parse(call.startedAt), zone),
      },
      textColumn(['call', 'Call'], ({ lane }) => lane),
      textColumn(['outcome', 'Outcome'], ({ call }) => call.outcome, {
        cell: ({ call }) => formatOutcome(call.outcome),
      }),
      textColumn(['fault', 'Fault'], ({ call }) => call.fault),
      textColumn(['code', 'Code'], ({ call }) => call.code),
      textColumn(['repeats', 'Repeated call'], ({ repeats }) => (repeats ? 'yes' : 'no')),
      durationColumn(['durationMs', 'Duration'], ({ call }) => call.durationMs),
      countColumn(['resultBytes', 'Result bytes'], ({ call }) => call.resultBytes),
    ],
  };
}

function toLanesTableRows(calls: readonly ComparableCall[]): LanesTableRow[] {
  const latest = new Map<string, ComparableCall>();
  return calls.map((call, at) => {
    const lane = toCallName(call);
    const before = latest.get(lane);
    latest.set(lane, call);
    return { call, position: at + 1, lane, repeats: before !== undefined && isSameCall(call, before) };
  });
}
