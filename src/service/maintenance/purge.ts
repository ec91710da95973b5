// Purges a session, a user, or everything before an instant: from the store, the files next to it, and
// memory. Pending journal data is written to the store first, so that it cannot reappear; then writes are
// held until everything is deleted.

import type { Logger } from 'pino';
import type { PurgeReceipt } from '../../contract/maintenance.ts';
import { ROLLUP_TABLES } from '../store/compare-day.ts';
import {
  countMatchingRows,
  deleteRows,
  findAffectedDays,
  findAffectedSessions,
  waitForOldParts,
} from '../store/purge-rows.ts';
import { type PurgeTarget, type TableCondition, toTableConditions } from '../store/purge-target.ts';
import type { Store } from '../store/store.ts';
import type { QuarantinePurger } from './purge-quarantine.ts';
import type { DayRebuild } from './repair-day.ts';

/** What the alerts must forget. */
export interface PurgeSelection {
  /** Without a server, the id of every server. */
  readonly sessions: readonly { readonly server?: string | undefined; readonly id: string }[];
  /** Epoch milliseconds: everything last seen before it. */
  readonly beforeMs: number | undefined;
}

/** What a purge needs from other modules. */
export interface PurgePorts {
  readonly store: Store;
  /** Writes the pending calls to the store. @returns their number */
  flushPending(): Promise<number>;
  /** Pauses writes to the store until the returned function is called. */
  holdWrites(): Promise<() => void>;
  /**
   * Stops detection and drops its state.
   *
   * @returns a function that restarts it
   */
  stopDetection(): Promise<() => void>;
  /** @returns how many records are removed, or would be */
  purgeAlerts(selection: PurgeSelection, mode: 'count' | 'forget'): Promise<number>;
  readonly quarantine: QuarantinePurger;
  /** Rebuilds the rollups of a day from its calls. */
  rebuildDay(day: string): Promise<DayRebuild>;
  readonly log: Logger;
}

export interface PurgeRequest {
  readonly target: PurgeTarget;
  /** If false, only counts. */
  readonly confirmed: boolean;
}

/** The engine looks for old files every few seconds, a server every few minutes. */
const OLD_PARTS_TIMEOUT_MS = 60_000;

const NOT_REACHED = [
  'spools of MCP servers: calls that were not delivered yet may still arrive',
  'backups: restore a backup, purge, and back up again',
];

/**
 * Counts what a purge would delete, or deletes it.
 *
 * @returns what was deleted and what was not reached
 * @throws UpstreamError when the store fails; repeating the purge resumes it
 */
export async function purge(ports: PurgePorts, request: PurgeRequest): Promise<PurgeReceipt> {
  const journalCalls = await ports.flushPending();
  if (!request.confirmed) return { ...(await planPurge(ports, request)).receipt, journalCalls };
  const resumeDetection = await ports.stopDetection();
  try {
    const release = await ports.holdWrites();
    try {
      const receipt = await executePurge(ports, request);
      ports.log.info({ kind: request.target.kind, tables: receipt.tables }, 'data was purged');
      return { ...receipt, journalCalls };
    } finally {
      release();
    }
  } finally {
    resumeDetection();
  }
}

interface PurgePlan {
  readonly receipt: PurgeReceipt;
  readonly conditions: readonly TableCondition[];
  readonly selection: PurgeSelection;
  readonly days: readonly string[];
}

async function planPurge(ports: PurgePorts, { target }: PurgeRequest): Promise<PurgePlan> {
  const { store } = ports;
  const conditions = await toTableConditions(store, target);
  const tables = await countMatchingRows(store, conditions);
  const selection = await findPurgeSelection(store, { target, conditions });
  const quarantined = await ports.quarantine.purge(target, 'count');
  return {
    conditions,
    selection,
    days: await findDaysToRebuild(store, { target, conditions }),
    receipt: {
      what: describeTarget(target),
      status: 'counted',
      tables,
      journalCalls: 0,
      quarantineRows: quarantined.rows,
      alertRecords: await ports.purgeAlerts(selection, 'count'),
      rebuiltDays: [],
      keptDays: [],
      bytes: 'untouched',
      notReached: [
        ...NOT_REACHED,
        ...quarantined.unpurgedFiles.map(
          (name) => `quarantine/${name}: damaged bytes of the journal, which may contain matching data`,
        ),
      ],
    },
  };
}

async function executePurge(ports: PurgePorts, request: PurgeRequest): Promise<PurgeReceipt> {
  const { store } = ports;
  const { receipt, conditions, selection, days } = await planPurge(ports, request);
  await ports.quarantine.purge(request.target, 'remove');
  await deleteRows(store, conditions);
  const { rebuiltDays, keptDays } = await rebuildDays(ports, days);
  const alertRecords = await ports.purgeAlerts(selection, 'forget');
  const tables = [...new Set([...conditions.map(({ table }) => table), ...ROLLUP_TABLES])];
  const arePartsRemoved = await waitForOldParts(store, { tables, withinMs: OLD_PARTS_TIMEOUT_MS });
  return {
    ...receipt,
    status: 'purged',
    alertRecords,
    rebuiltDays,
    keptDays,
    bytes: arePartsRemoved ? 'gone' : 'leaving',
  };
}

interface PurgeScope {
  readonly target: PurgeTarget;
  readonly conditions: readonly TableCondition[];
}

async function findPurgeSelection(store: Store, { target, conditions }: PurgeScope): Promise<PurgeSelection> {
  if (target.kind === 'before') return { sessions: [], beforeMs: Math.floor(target.beforeUs / 1000) };
  if (target.kind === 'session') return { sessions: [target], beforeMs: undefined };
  const calls = conditions.filter(({ table }) => table === 'calls');
  const found = await Promise.all(calls.map((condition) => findAffectedSessions(store, condition)));
  return { sessions: found.flat(), beforeMs: undefined };
}

/** Before an instant, whole buckets are deleted with their rows; only the day of the instant is rebuilt. */
async function findDaysToRebuild(
  store: Store,
  { target, conditions }: PurgeScope,
): Promise<readonly string[]> {
  const calls = conditions.find(({ table }) => table === 'calls');
  if (!calls) return [];
  const days = await findAffectedDays(store, calls.where);
  if (target.kind !== 'before') return days;
  const divided = new Date(target.beforeUs / 1000).toISOString().slice(0, 10);
  return days.filter((day) => day === divided);
}

async function rebuildDays(
  { rebuildDay }: PurgePorts,
  days: readonly string[],
): Promise<Pick<PurgeReceipt, 'rebuiltDays' | 'keptDays'>> {
  const rebuiltDays: string[] = [];
  const keptDays: { day: string; reason: string }[] = [];
  for (const day of days) {
    const result = await rebuildDay(day);
    if (result.status === 'rebuilt') rebuiltDays.push(day);
    else keptDays.push({ day, reason: result.reason });
  }
  return { rebuiltDays, keptDays };
}

/** Receipts are kept, so they must not contain what was purged. */
function describeTarget(target: PurgeTarget): string {
  if (target.kind === 'before') return `everything before ${new Date(target.beforeUs / 1000).toISOString()}`;
  if (target.kind === 'user') return 'one user';
  return target.server === undefined ? 'one session id, of every server' : 'one session of one server';
}
