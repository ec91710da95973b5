// Prepares the bars above the list of calls: by fault, errors at the bottom, where they are easiest to compare.
import type { CallHistogramResponse } from '../../../../src/contract/call-histogram.ts';
import type { Fault } from '../../../../src/core/model/outcome.ts';
import { prepareStackedBars, type StackedBars } from '../../charts/prepare-stacked-bars.ts';
import type { ExportTable } from '../../components/data-table.tsx';
import { formatOutcome } from '../../components/outcome-badge.tsx';
import { countColumn, timeColumn } from '../../components/table-columns.tsx';
import type { Zone } from '../../format/format-time.ts';

const FAULT_PARTS: readonly { readonly key: Fault; readonly label: string; readonly colour: string }[] = [
  { key: 'server', label: 'server error', colour: 'var(--server)' },
  { key: 'client', label: 'client error', colour: 'var(--client)' },
  { key: 'none', label: 'no error', colour: 'var(--neutral-line)' },
];

/** @param nowMs when the response arrived */
export function prepareCallHistogram(response: CallHistogramResponse, nowMs: number): StackedBars {
  const parts = FAULT_PARTS.flatMap((part) =>
    response.series.filter(({ fault }) => fault === part.key).map(({ points }) => ({ ...part, points })),
  );
  return prepareStackedBars(parts, { ...response, nowMs });
}

interface HistogramRow {
  readonly at: string;
  /** By index in the series of the response. */
  readonly counts: readonly number[];
}

/** Every bucket with calls, newest first, and a column for each outcome. */
export function toHistogramTable({ series }: CallHistogramResponse, zone: Zone): ExportTable<HistogramRow> {
  const counts = series.map(({ points }) => new Map(points));
  const starts = [...new Set(counts.flatMap((own) => [...own.keys()]))].sort((a, b) => b - a);
  return {
    label: 'Calls by outcome',
    rows: starts.map((atMs) => ({
      at: new Date(atMs).toISOString(),
      counts: counts.map((own) => own.get(atMs) ?? 0),
    })),
    keyOf: ({ at }) => at,
    columns: [
      timeColumn(['from', 'From'], ({ at }) => at, { zone }),
      ...series.map(({ outcome, fault }, at) => {
        const isBoth = series.some((other) => other.outcome === outcome && other.fault !== fault);
        const name = isBoth ? `${formatOutcome(outcome)} (${fault})` : formatOutcome(outcome);
        return countColumn<HistogramRow>([name, name], (row) => row.counts[at] ?? 0);
      }),
    ],
  };
}
