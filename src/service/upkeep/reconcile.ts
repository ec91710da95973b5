// One check of the rollups against the calls. Which hours? Those that calls have come into since the last check, known by
// their positions in the journals, so a late call brings its old hour back. Each node answers for its own calls, once they
// are stored in full: whatever a crash, a repeat or another node's repair did to them is found then. Calls of a node that is
// gone are checked by others after an hour, and again by itself should it come back.

import type { Logger } from 'pino';
import { UpstreamError } from '../../errors.ts';
import { compareDay, type DayComparison, type RollupTable } from '../store/compare-day.ts';
import {
  type Checked,
  type HoursOfDay,
  readChecked,
  readTails,
  readTouchedHours,
  writeReconciliation,
} from '../store/reconciliation-rows.ts';
import type { Store } from '../store/store.ts';
import { type DayMended, isEqual, type MendPorts, mendDay } from './mend-day.ts';
import { isWhole, type RetentionDays, tablesOf, wholeFrom } from './whole-days.ts';

export interface ReconcilePorts {
  readonly store: Store;
  /** This node's name in `ingest_node`. */
  readonly node: string;
  /** Position up to which this node's calls are stored in full; 0 while nobody knows. */
  readonly settled: () => number;
  /** Lets nothing of this node go to the store until what it returns is called. */
  readonly holdShipping: () => Promise<() => void>;
  readonly retention: RetentionDays;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Nothing is changed any more once it is aborted. */
  readonly ending: AbortSignal;
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
  /** `left`: differs, or cannot be checked, and may not be touched. `failed`: is tried again by the next check. */
  readonly result: 'equal' | 'repaired' | 'left' | 'failed';
  readonly hours: number;
  /** The days that were not equal. */
  readonly days: readonly DayReport[];
}

/** By then every living node has stored and checked what it took. */
const FOREIGN_AGE_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const EVERY_HOUR = Array.from({ length: 24 }, (_, hour) => hour);

interface Range {
  readonly ingestNode: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

/**
 * Checks what came since the last check, mends what differs, and writes down what it found.
 * @throws UpstreamError as `Store` does: nothing is written down then, and the next check begins where this one did
 */
export async function reconcile(ports: ReconcilePorts): Promise<Reconciliation> {
  const { store, node, retention } = ports;
  const atMs = ports.now();
  const checked = await readChecked(store, node);
  const ranges = await findRanges(ports, checked);
  const baseWholeFromMs = wholeFrom(atMs, retention, checked.baseWholeFromMs);
  const openDays = checked.nodes.flatMap((one) => one.openDays);
  const touched = await findTouched(store, { ranges, openDays });
  const days = await checkDays(ports, { touched, atMs, baseWholeFromMs });
  const hours = touched.reduce((sum, day) => sum + day.hours.length, 0);
  const done: Reconciliation = { atMs, result: judge(days), hours, days };
  const hasAged = baseWholeFromMs - checked.baseWholeFromMs >= DAY_MS;
  if (touched.length > 0 || ranges.length > 0 || hasAged)
    await record(ports, { done, ranges, ownSeq: ownSeqOf(node, checked), baseWholeFromMs });
  return done;
}

async function findRanges({ store, node, settled, now }: ReconcilePorts, checked: Checked): Promise<Range[]> {
  const own: Range = {
    ingestNode: node,
    fromSeq: ownSeqOf(node, checked),
    toSeq: settled(),
  };
  const tails = await readTails(store, { node, takenBeforeMs: now() - FOREIGN_AGE_MS });
  const foreign = tails.map(({ ingestNode, seq }) => ({
    ingestNode,
    fromSeq: checked.nodes.find((one) => one.ingestNode === ingestNode)?.seq ?? 0,
    toSeq: seq,
  }));
  return [own, ...foreign].filter(({ fromSeq, toSeq }) => toSeq > fromSeq);
}

function ownSeqOf(node: string, { nodes }: Checked): number {
  return nodes.find(({ ingestNode }) => ingestNode === node)?.ownSeq ?? 0;
}

async function findTouched(
  store: Store,
  { ranges, openDays }: { readonly ranges: readonly Range[]; readonly openDays: readonly string[] },
): Promise<HoursOfDay[]> {
  const hours = new Map<string, Set<number>>(openDays.map((day) => [day, new Set(EVERY_HOUR)]));
  for (const range of ranges)
    for (const one of await readTouchedHours(store, range))
      hours.set(one.day, new Set([...(hours.get(one.day) ?? []), ...one.hours]));
  return [...hours].sort().map(([day, set]) => ({ day, hours: [...set].sort((a, b) => a - b) }));
}

interface Checking {
  readonly touched: readonly HoursOfDay[];
  readonly atMs: number;
  readonly baseWholeFromMs: number;
}

async function checkDays(ports: ReconcilePorts, checking: Checking): Promise<DayReport[]> {
  const reports: DayReport[] = [];
  const suspects: string[] = [];
  for (const { day, hours } of checking.touched) {
    assertGoesOn(ports.ending);
    if (!isWhole(day, checking.baseWholeFromMs)) {
      reports.push(report(day, { status: 'left', reason: 'its calls are partly dropped by age' }));
      continue;
    }
    const looked = await attempt(ports, day, async () => {
      const tables = tablesIn(ports, { day, atMs: checking.atMs });
      if (!isEqual(await compareDay(ports.store, { day, hours, tables }))) suspects.push(day);
    });
    if (looked) reports.push(looked);
  }
  if (suspects.length > 0) reports.push(...(await mendDays(ports, suspects, checking.atMs)));
  return reports;
}

function tablesIn(
  { retention }: ReconcilePorts,
  { day, atMs }: { readonly day: string; readonly atMs: number },
) {
  return tablesOf(day, { nowMs: atMs, retention });
}

/** What only looked wrong because it was on its way is right once nothing is. */
async function mendDays(ports: ReconcilePorts, days: readonly string[], atMs: number): Promise<DayReport[]> {
  const reports: DayReport[] = [];
  const release = await ports.holdShipping();
  const mending: MendPorts = {
    store: ports.store,
    node: ports.node,
    assertHeld: () => assertGoesOn(ports.ending),
  };
  try {
    for (const day of days) {
      const failed = await attempt(ports, day, async () => {
        const mended = await mendDay(mending, { day, tables: tablesIn(ports, { day, atMs }) });
        if (mended.status !== 'equal') reports.push(toReport(day, mended));
      });
      if (failed) reports.push(failed);
    }
  } finally {
    release();
  }
  return reports;
}

/** A day that the store cannot deal with must not keep the others from being checked. */
async function attempt(
  { log, ending }: ReconcilePorts,
  day: string,
  work: () => Promise<void>,
): Promise<DayReport | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    assertGoesOn(ending);
    if (!(error instanceof UpstreamError)) throw error;
    log.warn({ day, code: error.code, reason: error.message }, 'day could not be reconciled');
    return report(day, { status: 'failed', reason: error.message });
  }
}

function assertGoesOn(ending: AbortSignal): void {
  if (ending.aborted)
    throw new UpstreamError('NOT_READY', 'The service is ending; the next one checks again.', {
      retryable: true,
    });
}

function report(day: string, { status, reason }: Pick<DayReport, 'status'> & { readonly reason: string }) {
  return { day, status, differences: [], duplicates: 0, tables: [], reason } satisfies DayReport;
}

function toReport(day: string, mended: Exclude<DayMended, { readonly status: 'equal' }>): DayReport {
  const { differences, duplicates } = mended.found;
  return {
    day,
    status: mended.status,
    differences,
    duplicates,
    tables: mended.status === 'repaired' ? mended.tables : [],
    ...(mended.status !== 'repaired' && { reason: mended.reason }),
  };
}

function judge(days: readonly DayReport[]): Reconciliation['result'] {
  const is = (...some: DayReport['status'][]): boolean => days.some(({ status }) => some.includes(status));
  if (is('failed', 'open')) return 'failed';
  if (is('left')) return 'left';
  return is('repaired') ? 'repaired' : 'equal';
}

interface Recording {
  readonly done: Reconciliation;
  readonly ranges: readonly Range[];
  readonly ownSeq: number;
  readonly baseWholeFromMs: number;
}

/** This node's row tells all; those of other nodes only how far their calls were checked. */
async function record(
  ports: ReconcilePorts,
  { done, ranges, ownSeq, baseWholeFromMs }: Recording,
): Promise<void> {
  const { store, node } = ports;
  const own = ranges.find(({ ingestNode }) => ingestNode === node);
  const about = { atMs: done.atMs, checkedBy: node, result: done.result, baseWholeFromMs };
  const nothing = {
    hours: 0,
    duplicatesRemoved: 0,
    differences: {},
    repairedDays: [],
    openDays: [],
    details: '',
  };
  for (const range of ranges.filter((one) => one !== own))
    await writeReconciliation(store, { ...about, ...nothing, ...range });
  await writeReconciliation(store, {
    ...about,
    ...(own ?? { ingestNode: node, fromSeq: ownSeq, toSeq: ownSeq }),
    hours: done.hours,
    duplicatesRemoved: countDuplicates(done),
    differences: countDifferences(done),
    repairedDays: daysThat(done, 'repaired'),
    openDays: daysThat(done, 'open', 'failed'),
    details: done.days.length === 0 ? '' : JSON.stringify(done.days),
  });
}

/** Calls that were stored more than once, where that was mended. */
export function countDuplicates({ days }: Pick<Reconciliation, 'days'>): number {
  return days
    .filter(({ status }) => status === 'repaired')
    .reduce((sum, { duplicates }) => sum + duplicates, 0);
}

/** Hours that differed, by table; of sessions, days. */
export function countDifferences({ days }: Pick<Reconciliation, 'days'>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { table } of days.flatMap(({ differences }) => differences))
    counts[table] = (counts[table] ?? 0) + 1;
  return counts;
}

function daysThat({ days }: Reconciliation, ...some: DayReport['status'][]): string[] {
  return days.filter(({ status }) => some.includes(status)).map(({ day }) => day);
}
