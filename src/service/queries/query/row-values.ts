// Row values as the engine returns them, and their form in a response. 64-bit integers may arrive as text;
// every count and every epoch microsecond fits a double exactly.

import { z } from 'zod';

/** A UInt64, as a number or as text. */
export const count = z.coerce.number().int().nonnegative();

/** The 50th, 95th and 99th percentile in microseconds; NaN arrives as null. */
export const Percentiles = z.array(z.number().nullable()).length(3);

/** Percentiles in milliseconds, or null if no call had a latency. */
export function toPercentilesMs({
  timed,
  percentiles,
}: {
  readonly timed: number;
  readonly percentiles: readonly (number | null)[];
}): { p50Ms: number | null; p95Ms: number | null; p99Ms: number | null } {
  const [p50Ms = null, p95Ms = null, p99Ms = null] = percentiles.map((us) =>
    timed === 0 || us === null ? null : us / 1_000,
  );
  return { p50Ms, p95Ms, p99Ms };
}

/**
 * @param us microseconds since the epoch
 * @returns ISO 8601 in UTC with six decimals
 */
export function toIso(us: number): string {
  const ms = Math.floor(us / 1_000);
  const micros = String(us - ms * 1_000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${micros}Z`);
}

/** The tool names that keep their own row. */
export function listKeptTools(
  rows: readonly { readonly kept: number; readonly tool: string }[],
): Set<string> {
  return new Set(rows.filter(({ kept }) => kept === 1).map(({ tool }) => tool));
}

/** Name of the group beyond a limit: `other`, unless a real name is the same. */
export function toOtherName(names: ReadonlySet<string>): string {
  return names.has('other') ? '(other)' : 'other';
}

/**
 * @param us microseconds since the epoch
 * @returns the format of a time column: `YYYY-MM-DD hh:mm:ss.ffffff` in UTC
 */
export function toColumnTime(us: number): string {
  return toIso(us).replace('T', ' ').replace('Z', '');
}
