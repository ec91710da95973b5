// Reconciles the rollups with the calls, for the hours that received calls since the last run. These are found by
// journal positions, so a late call includes its old hour again. Each node checks its own calls once they are
// stored, which covers crashes, repeats and repairs by other nodes. Calls of a stopped node are checked by others
// after an hour, and again by itself if it returns.

import type { Logger } from 'pino';
import { UpstreamError } from '../../errors.ts';
import { compareDay, type DayComparison, type RollupTable } from '../store/compare-day.ts';
import {
  type DayHours,
  type ReconciliationProgress,
  readAffectedHours,
  readOtherNodeMaxSeqs,
  readReconciliationProgress,
  writeReconciliation,
} from '../store/reconciliation-rows.ts';
import type { Store } from '../store/store.ts';
import { type DayRepair, isConsistent, type RepairPorts, repairDay } from './repair-day.ts';
import {
  CALLS_EXPIRED,
  findKeptTables,
  findWholeFrom,
  isWholeDay,
  type RetentionDays,
} from './whole-days.ts';

export interface ReconcilePorts {
  readonly store: Store;
  /** Name of this node in `ingest_node`. */
  readonly node: string;
  /** Position up to which the calls of this node are fully stored; 0 if unknown. */
  readonly committedOffset: () => number;
  /** Pauses writes of this node to the store until the returned function is called. */
  readonly holdWrites: () => Promise<() => void>;
  readonly retention: RetentionDays;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Once aborted, nothing is changed any more. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

export interface DayReport {
  readonly day: string;
  readonly status: 'repaired' | 'left' | 'open' | 'failed';
  readonly differences: DayComparison['differences'];
  readonly duplicates: number;
  readonly tables: readonly RollupTable[];
  readonly reason?: string;
}

export interface Reconciliation {
  readonly atMs: number;
  /** `left`: differs or cannot be checked, and must not be changed. `failed`: the next run tries again. */
  readonly result: 'equal' | 'repaired' | 'left' | 'failed';
  readonly hours: number;
  /** Days with differences. */
  readonly days: readonly DayReport[];
}

/** By then, every running node has stored and checked its calls. */
const FOREIGN_NODE_AGE_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const EVERY_HOUR = Array.from({ length: 24 }, (_, hour) => hour);

interface SequenceRange {
  readonly ingestNode: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

/**
 * Checks what arrived since the last run, repairs differences, and records the result.
 *
 * @throws UpstreamError as `Store` does: nothing is recorded then, and the next run starts at the same point
 */
export async function reconcile(ports: ReconcilePorts): Promise<Reconciliation> {
  const { store, node, retention } = ports;
  const atMs = ports.now();
  const progress = await readReconciliationProgress(store, node);
  const ownSeq = progress.nodes.find(({ ingestNode }) => ingestNode === node)?.ownSeq ?? 0;
  const ranges = await findRanges(ports, { progress, ownSeq });
  const baseWholeFromMs = findWholeFrom(atMs, retention, progress.baseWholeFromMs);
  const openDays = progress.nodes.flatMap((one) => one.openDays);
  const affectedDays = await findAffectedHours(store, { ranges, openDays });
  const days = await checkDays(ports, { affectedDays, atMs, baseWholeFromMs });
  const hours = affectedDays.reduce((sum, day) => sum + day.hours.length, 0);
  const reconciliation: Reconciliation = { atMs, result: summariseResult(days), hours, days };
  const hasAged = baseWholeFromMs - progress.baseWholeFromMs >= DAY_MS;
  if (affectedDays.length > 0 || ranges.length > 0 || hasAged)
    await writeEntries(ports, { reconciliation, ranges, ownSeq, baseWholeFromMs });
  return reconciliation;
}

async function findRanges(
  { store, node, committedOffset, now }: ReconcilePorts,
  { progress, ownSeq }: { readonly progress: ReconciliationProgress; readonly ownSeq: number },
): Promise<SequenceRange[]> {
  const own: SequenceRange = { ingestNode: node, fromSeq: ownSeq, toSeq: committedOffset() };
  const tails = await readOtherNodeMaxSeqs(store, { node, takenBeforeMs: now() - FOREIGN_NODE_AGE_MS });
  const foreign = tails.map(({ ingestNode, seq }) => ({
    ingestNode,
    fromSeq: progress.nodes.find((one) => one.ingestNode === ingestNode)?.seq ?? 0,
    toSeq: seq,
  }));
  return [own, ...foreign].filter(({ fromSeq, toSeq }) => toSeq > fromSeq);
}

async function findAffectedHours(
  store: Store,
  { ranges, openDays }: { readonly ranges: readonly SequenceRange[]; readonly openDays: readonly string[] },
): Promise<DayHours[]> {
  const hours = new Map<string, Set<number>>(openDays.map((day) => [day, new Set(EVERY_HOUR)]));
  for (const range of ranges)
    for (const one of await readAffectedHours(store, range))
      hours.set(one.day, new Set([...(hours.get(one.day) ?? []), ...one.hours]));
  return [...hours].sort().map(([day, set]) => ({ day, hours: [...set].sort((a, b) => a - b) }));
}

interface DayChecks {
  readonly affectedDays: readonly DayHours[];
  readonly atMs: number;
  readonly baseWholeFromMs: number;
}

async function checkDays(ports: ReconcilePorts, checks: DayChecks): Promise<DayReport[]> {
  const reports: DayReport[] = [];
  const suspects: string[] = [];
  for (const { day, hours } of checks.affectedDays) {
    assertRunning(ports.signal);
    if (!isWholeDay(day, checks.baseWholeFromMs)) {
      reports.push({ ...NO_DIFFERENCES, day, status: 'left', reason: CALLS_EXPIRED });
      continue;
    }
    const failed = await tryDay(ports, day, async () => {
      const tables = findKeptTables(day, { nowMs: checks.atMs, retention: ports.retention });
      if (!isConsistent(await compareDay(ports.store, { day, hours, tables }))) suspects.push(day);
    });
    if (failed) reports.push(failed);
  }
  if (suspects.length > 0) reports.push(...(await repairDays(ports, suspects, checks.atMs)));
  return reports;
}

/** Compares again while writes are held, because a batch in progress looks like a difference. */
async function repairDays(
  ports: ReconcilePorts,
  days: readonly string[],
  atMs: number,
): Promise<DayReport[]> {
  const reports: DayReport[] = [];
  const release = await ports.holdWrites();
  const repairPorts: RepairPorts = { ...ports, assertWritesHeld: () => assertRunning(ports.signal) };
  try {
    for (const day of days) {
      const failed = await tryDay(ports, day, async () => {
        const tables = findKeptTables(day, { nowMs: atMs, retention: ports.retention });
        const repair = await repairDay(repairPorts, { day, tables });
        if (repair.status !== 'equal') reports.push(toReport(day, repair));
      });
      if (failed) reports.push(failed);
    }
  } finally {
    release();
  }
  return reports;
}

/** One failing day must not prevent the others from being checked. */
async function tryDay(
  { log, signal }: ReconcilePorts,
  day: string,
  work: () => Promise<void>,
): Promise<DayReport | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    assertRunning(signal);
    if (!(error instanceof UpstreamError)) throw error;
    log.warn({ day, code: error.code, reason: error.message }, 'day could not be reconciled');
    return { ...NO_DIFFERENCES, day, status: 'failed', reason: error.message };
  }
}

function assertRunning(signal: AbortSignal): void {
  if (signal.aborted)
    throw new UpstreamError('NOT_READY', 'The service is closing; the next start reconciles again.', {
      retryable: true,
    });
}

const NO_DIFFERENCES = { differences: [], duplicates: 0, tables: [] };

function toReport(
  day: string,
  { comparison, ...repair }: Exclude<DayRepair, { readonly status: 'equal' }>,
): DayReport {
  return { day, ...NO_DIFFERENCES, ...comparison, ...repair };
}

function summariseResult(days: readonly DayReport[]): Reconciliation['result'] {
  const is = (...some: DayReport['status'][]): boolean => days.some(({ status }) => some.includes(status));
  if (is('failed', 'open')) return 'failed';
  if (is('left')) return 'left';
  return is('repaired') ? 'repaired' : 'equal';
}

interface ReconciliationEntry {
  readonly reconciliation: Reconciliation;
  readonly ranges: readonly SequenceRange[];
  readonly ownSeq: number;
  readonly baseWholeFromMs: number;
}

/** The row of this node has the result; those of other nodes only how far their calls were checked. */
async function writeEntries(
  { store, node }: ReconcilePorts,
  { reconciliation, ranges, ownSeq, baseWholeFromMs }: ReconciliationEntry,
): Promise<void> {
  const ownRange = ranges.find(({ ingestNode }) => ingestNode === node);
  const { atMs, result } = reconciliation;
  const rowWithoutDays = {
    atMs,
    checkedBy: node,
    result,
    baseWholeFromMs,
    hours: 0,
    duplicatesRemoved: 0,
    differences: {},
    repairedDays: [],
    openDays: [],
    details: '',
  };
  for (const range of ranges.filter((one) => one !== ownRange))
    await writeReconciliation(store, { ...rowWithoutDays, ...range });
  await writeReconciliation(store, {
    ...rowWithoutDays,
    ...(ownRange ?? { ingestNode: node, fromSeq: ownSeq, toSeq: ownSeq }),
    hours: reconciliation.hours,
    duplicatesRemoved: countDuplicates(reconciliation),
    differences: countDifferences(reconciliation),
    repairedDays: findDaysByStatus(reconciliation, 'repaired'),
    openDays: findDaysByStatus(reconciliation, 'open', 'failed'),
    details: reconciliation.days.length === 0 ? '' : JSON.stringify(reconciliation.days),
  });
}

/** Number of removed duplicate calls. */
export function countDuplicates({ days }: Pick<Reconciliation, 'days'>): number {
  return days
    .filter(({ status }) => status === 'repaired')
    .reduce((sum, { duplicates }) => sum + duplicates, 0);
}

/** Hours with differences by table; days for tables without hours. */
export function countDifferences({ days }: Pick<Reconciliation, 'days'>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { table } of days.flatMap(({ differences }) => differences))
    counts[table] = (counts[table] ?? 0) + 1;
  return counts;
}

function findDaysByStatus({ days }: Reconciliation, ...some: DayReport['status'][]): string[] {
  return days.filter(({ status }) => some.includes(status)).map(({ day }) => day);
}
