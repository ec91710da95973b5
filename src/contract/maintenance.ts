// What the API says of upkeep: what a purge took away and what it did not reach, and what a backup holds.

import { z } from 'zod';
import { filterValue } from './query.ts';
import { parseTime, TIME_FORMATS } from './time-range.ts';

const count = z.number().int().nonnegative();

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
    /** The id as the server's author wrote it, or the 16 hex digits that are stored. */
    user: z.string().min(1).max(1024).optional(),
    before: timeParameter.optional(),
    /** False, the default, only counts. */
    confirmed: z.boolean().default(false),
  })
  .refine(({ session, user, before }) => [session, user, before].filter(isDefined).length === 1, {
    error: 'it needs exactly one of session, user and before',
  })
  .refine(({ session, server }) => !isDefined(server) || isDefined(session), {
    error: 'server goes with session only',
  });
export type PurgeBody = z.infer<typeof PurgeBody>;

/** What went, or would go. */
export const PurgeReceipt = z.object({
  /** What was asked for, without repeating an id. */
  what: z.string(),
  status: z.enum(['counted', 'purged']),
  tables: z.array(z.object({ table: z.string(), rows: count })),
  /** Calls that waited in the journal and were stored first, so that they could go too. */
  journalCalls: count,
  quarantineRows: count,
  /** Alerts, messages and silences that spoke of what went. */
  alertRecords: count,
  /** Days whose minutes, hours and sessions were counted anew. */
  rebuiltDays: z.array(z.string()),
  /** Days whose figures still count what went: numbers without ids. */
  keptDays: z.array(z.object({ day: z.string(), reason: z.string() })),
  /** `leaving`: hidden and rewritten, and the engine has yet to remove the old files. */
  bytes: z.enum(['untouched', 'gone', 'leaving']),
  /** Where copies may be that no purge of this service reaches. */
  notReached: z.array(z.string()),
});
export type PurgeReceipt = z.infer<typeof PurgeReceipt>;

/** Body of `POST /api/v1/backup`. */
export const BackupBody = z.strictObject({
  /** An absolute path on the service's machine; made, or empty. */
  directory: z.string().min(1).max(4096).startsWith('/'),
});
export type BackupBody = z.infer<typeof BackupBody>;

const TableRowBounds = z.object({ table: z.string(), least: count, most: count });

/** `manifest.json` of a backup. */
export const BackupManifest = z.object({
  format: z.literal(1),
  /** Of the package that wrote it. */
  version: z.string(),
  createdAt: z.string(),
  /** Number of the newest file of `sql/` that the database had seen. */
  schemaVersion: count,
  engine: z.enum(['embedded', 'server']),
  /** Name of the backup on a ClickHouse server; empty when the rows lie beside this file. */
  serverBackup: z.string(),
  ingestNode: z.string(),
  /** Rows once equal ones are merged, before and after the copy: what was written meanwhile lies between. */
  tables: z.array(TableRowBounds),
  /** Every file of the backup but this one, by its path in the directory. */
  files: z.array(z.object({ path: z.string(), bytes: count, sha256: z.string() })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** What a backup was when it was done. */
export const BackupResponse = BackupManifest.pick({
  engine: true,
  serverBackup: true,
  schemaVersion: true,
  tables: true,
}).extend({ directory: z.string(), files: count, bytes: count });
export type BackupResponse = z.infer<typeof BackupResponse>;

/** What a restore put back. */
export const RestoreResponse = BackupManifest.pick({
  createdAt: true,
  schemaVersion: true,
  ingestNode: true,
}).extend({
  tables: z.array(z.object({ table: z.string(), rows: count })),
  /** Files that stayed in the backup: settings, which say where things are sent, and what is none of the service's own. */
  notRestored: z.array(z.string()),
});
export type RestoreResponse = z.infer<typeof RestoreResponse>;
