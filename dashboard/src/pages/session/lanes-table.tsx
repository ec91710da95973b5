// The table view of the lanes: the calls of a session in order.
import type { CallRow } from '../../../../src/contract/calls.ts';
import type { ExportTable } from '../../components/data-table.tsx';
import { formatOutcome } from '../../components/outcome-badge.tsx';
import { countColumn, durationColumn, textColumn, timeColumn } from '../../components/table-columns.tsx';
import { formatClock, type Zone } from '../../format/format-time.ts';
import { type ComparableCall, isSameCall } from './compare-calls.ts';
import { toCallName } from './describe-session.ts';

interface LanesTableRow {
  readonly call: CallRow;
  /** The position in the strip, from 1. */
  readonly position: number;
  readonly lane: string;
  /** Whether it repeats the previous call in its lane. */
  readonly repeats: boolean;
}

/** @param calls of one session, in order */
export function toLanesTable(calls: readonly ComparableCall[], zone: Zone): ExportTable<LanesTableRow> {
  return {
    label: 'The run in figures',
    rows: toLanesTableRows(calls),
    keyOf: ({ call }) => `${call.traceId}.${call.spanId}`,
    columns: [
      countColumn(['place', '#'], ({ position }) => position),
      {
        ...timeColumn<LanesTableRow>(['startedAt', 'Began'], ({ call }) => call.startedAt, { zone }),
        cell: ({ call }) => formatClock(Date.parse(call.startedAt), zone),
      },
      textColumn(['call', 'Call'], ({ lane }) => lane),
      {
        ...textColumn<LanesTableRow>(['outcome', 'Outcome'], ({ call }) => call.outcome),
        cell: ({ call }) => formatOutcome(call.outcome),
      },
      textColumn(['fault', 'Fault'], ({ call }) => call.fault),
      textColumn(['code', 'Code'], ({ call }) => call.code),
      textColumn(['repeats', 'Same call again'], ({ repeats }) => (repeats ? 'yes' : 'no')),
      durationColumn(['durationMs', 'Took'], ({ call }) => call.durationMs),
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
