// One tool of the fixture over time, counted plainly.
import type { CallRow } from '../../src/contract/calls.ts';
import type { TimeRange } from '../../src/contract/time-range.ts';
import { ToolLatencyResponse, ToolSeriesResponse } from '../../src/contract/tool-series.ts';
import { groupBy } from '../../src/core/values/group-by.ts';

const BUCKET_SECONDS = 900;

const startOf = ({ startedAt }: CallRow): number =>
  Math.floor(Date.parse(startedAt) / BUCKET_SECONDS / 1_000) * BUCKET_SECONDS * 1_000;

function byBucket(calls: readonly CallRow[]): [number, CallRow[]][] {
  return [...groupBy(calls, (call) => String(startOf(call)))]
    .map(([start, own]): [number, CallRow[]] => [Number(start), own])
    .sort(([one], [other]) => one - other);
}

function percentile(calls: readonly CallRow[], share: number): number | null {
  const sorted = calls.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

export function toToolSeries(calls: readonly CallRow[], range: TimeRange): ToolSeriesResponse {
  const failed = calls.filter(({ fault }) => fault !== 'none');
  const codes = [...groupBy(failed, ({ code }) => code)].sort(([, a], [, b]) => b.length - a.length);
  return ToolSeriesResponse.parse({
    range,
    bucketSeconds: BUCKET_SECONDS,
    points: byBucket(calls).map(([atMs, own]) => ({
      atMs,
      calls: own.length,
      errors: own.filter(({ fault }) => fault !== 'none').length,
      timed: own.length,
      p50Ms: percentile(own, 0.5),
      p95Ms: percentile(own, 0.95),
      p99Ms: percentile(own, 0.99),
    })),
    codes: codes.map(([code, own]) => ({
      code,
      isRest: false,
      errors: own.length,
      points: byBucket(own).map(([atMs, rows]) => [atMs, rows.length]),
    })),
    marks: [{ atMs: range.toMs - 3 * 3_600_000, kind: 'version', text: '2.4.0' }],
  });
}

export function toToolLatency(calls: readonly CallRow[], range: TimeRange): ToolLatencyResponse {
  const exponentOf = ({ durationMs }: CallRow): number => Math.floor(Math.log2(Math.max(durationMs, 0.001)));
  return ToolLatencyResponse.parse({
    range,
    bucketSeconds: BUCKET_SECONDS,
    cells: byBucket(calls).flatMap(([atMs, own]) =>
      [...groupBy(own, (call) => String(exponentOf(call)))].map(([exponent, rows]) => [
        atMs,
        Number(exponent),
        rows.length,
      ]),
    ),
  });
}
