// Maintenance in the API: purge, backup and restore requests and their results.

import { z } from 'zod';
import { count } from './fields.ts';
import { filterValue } from './query.ts';
import { parseTime, TIME_FORMATS } from './time-range.ts';

function isDefined(value: unknown): boolean {
  return value !== undefined;
}

const timeParameter = z
  .string()
  .max(64)
  .refine((text) => parseTime(text, 0) !== undefined, { error: `must be ${TIME_FORMATS}` });

/** Body of `POST /api/v1/purge`. */
export const PurgeBody = z
  .strictObject({
    session: z.string().min(1).max(1024).optional(),
    server: filterValue.optional(),
    /** The id as the server's author wrote it, or the stored form of 16 hex digits. */
    user: z.string().min(1).max(1024).optional(),
    before: timeParameter.optional(),
    /** When false (the default), rows are only counted. */
    confirmed: z.boolean().default(false),
  })
  .refine(({ session, user, before }) => [session, user, before].filter(isDefined).length === 1, {
    error: 'it needs exactly one of session, user and before',
  })
  .refine(({ session, server }) => !isDefined(server) || isDefined(session), {
    error: 'server goes with session only',
  });
export type PurgeBody = z.infer<typeof PurgeBody>;

/** What was removed, or would be removed. */
export const PurgeReceipt = z.object({
  /** Describes the request without repeating an id. */
  what: z.string(),
  status: z.enum(['counted', 'purged']),
  tables: z.array(z.object({ table: z.string(), rows: count })),
  /** Calls from the journal that were stored first so that they could be removed too. */
  journalCalls: count,
  quarantineRows: count,
  /** Alerts, notifications and silences that referred to removed data. */
  alertRecords: count,
  /** Days whose minutes, hours and sessions were recomputed. */
  rebuiltDays: z.array(z.string()),
  /** Days whose rollups still include the removed calls, as numbers without ids. */
  keptDays: z.array(z.object({ day: z.string(), reason: z.string() })),
  /** `leaving`: hidden and rewritten, but the engine has not deleted the old files yet. */
  bytes: z.enum(['untouched', 'gone', 'leaving']),
  /** Where copies may exist that a purge cannot reach. */
  notReached: z.array(z.string()),
});
export type PurgeReceipt = z.infer<typeof PurgeReceipt>;

/** Body of `POST /api/v1/backup`. */
export const BackupBody = z.strictObject({
  /** An absolute path on the service's machine; created if absent, otherwise it must be empty. */
  directory: z.string().min(1).max(4096).startsWith('/'),
});
export type BackupBody = z.infer<typeof BackupBody>;

const TableRowBounds = z.object({ table: z.string(), least: count, most: count });

/** `manifest.json` of a backup. */
export const BackupManifest = z.object({
  format: z.literal(1),
  /** Version of the package that wrote the backup. */
  version: z.string(),
  createdAt: z.string(),
  /** Number of the newest file in `sql/` that was applied to the database. */
  schemaVersion: count,
  engine: z.enum(['embedded', 'server']),
  /** Name of the backup on a ClickHouse server; empty when the rows are stored next to this file. */
  serverBackup: z.string(),
  ingestNode: z.string(),
  /**
   * Row counts after merging duplicates, taken before and after the copy; concurrent writes account for the
   * difference.
   */
  tables: z.array(TableRowBounds),
  /** Every file of the backup except this one, with paths relative to the directory. */
  files: z.array(z.object({ path: z.string(), bytes: count, sha256: z.string() })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** Summary of a completed backup. */
export const BackupResponse = BackupManifest.pick({
  engine: true,
  serverBackup: true,
  schemaVersion: true,
  tables: true,
}).extend({ directory: z.string(), files: count, bytes: count });
export type BackupResponse = z.infer<typeof BackupResponse>;

/** Summary of a completed restore. */
export const RestoreResponse = BackupManifest.pick({
  createdAt: true,
  schemaVersion: true,
  ingestNode: true,
}).extend({
  tables: z.array(z.object({ table: z.string(), rows: count })),
  /**
   * Files left in the backup: settings, which define where data is sent, and files that are not the service's
   * own.
   */
  notRestored: z.array(z.string()),
});
export type RestoreResponse = z.infer<typeof RestoreResponse>;
