// The desk on disk: one file, replaced whole. Its schema is checked when it is read, because another version may have
// written it; one that does not fit is put aside rather than lost, and said.

import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ALERT_STATES, SilenceMatcher } from '../../contract/alerts.ts';
import { LOOP_CAUSES } from '../../core/model/loop-cause.ts';
import { LOOP_NOTICE_KINDS, LOOP_SEVERITIES, LOOP_STATES } from '../../core/model/loop-notice.ts';
import { SESSION_SOURCES } from '../../core/model/session.ts';
import { STORM_KINDS } from '../../core/model/storm-record.ts';
import { writeDurableFile } from '../../segments/durable-file.ts';
import type { FileSystem } from '../../segments/file-system.ts';
import { type Desk, EMPTY_DESK } from './desk.ts';

const FILE = 'alerts-state.json';
const VERSION = 1;

const ms = z.number();
const count = z.int().nonnegative();
const labels = z.record(z.string(), z.string());

const Notice: z.ZodType<Desk['loops'][number]> = z.object({
  id: z.string(),
  server: z.string(),
  environment: z.string(),
  sessionId: z.string(),
  sessionSource: z.enum(SESSION_SOURCES),
  client: z.string(),
  kind: z.enum(LOOP_NOTICE_KINDS),
  severity: z.enum(LOOP_SEVERITIES),
  state: z.enum(LOOP_STATES),
  tools: z.array(z.string()),
  sentence: z.string(),
  repeats: z.number(),
  wastedCalls: z.number(),
  onsetMs: ms,
  lastMs: ms,
  // Not in a file of an earlier version.
  treeId: z.string().default(''),
  foldedInto: z.string().default(''),
  holdUntilMs: ms.default(0),
});

const Storm: z.ZodType<Desk['storms'][number]> = z.object({
  id: z.string(),
  server: z.string(),
  environment: z.string(),
  kind: z.enum(STORM_KINDS),
  code: z.string(),
  template: z.string(),
  tools: z.array(z.string()),
  sessions: count,
  isEverybody: z.boolean(),
  calls: count,
  firstUs: z.number(),
  lastUs: z.number(),
  state: z.enum(LOOP_STATES),
  sentence: z.string(),
  cause: z.enum(LOOP_CAUSES),
});

const Evidence = z.object({
  sentence: z.string(),
  value: z.number(),
  threshold: z.number(),
  tools: z.array(z.string()),
  details: labels,
});

const Alert = z.object({
  fingerprint: z.string(),
  labels,
  evidence: Evidence,
  ruleId: z.string(),
  groupLabels: labels,
  state: z.enum(['pending', 'firing', 'resolved']),
  activeMs: ms,
  firedMs: ms.nullable(),
  seenMs: ms,
  resolvedMs: ms.nullable(),
  told: z.enum(['nothing', 'firing', 'resolved']),
});

const Message = z.object({
  ruleId: z.string(),
  receivers: z.array(z.string()),
  groupKey: z.string(),
  groupLabels: labels,
  status: z.enum(['firing', 'resolved']),
  alerts: z.array(Alert),
  truncated: count,
  news: z.array(z.string()),
  atMs: ms,
});

const attempted = {
  id: z.string(),
  receiver: z.string(),
  createdMs: ms,
  attempts: count,
  lastMs: ms.nullable(),
  httpStatus: count.nullable(),
  reason: z.string(),
};

const DeskFile = z.object({
  version: z.literal(VERSION),
  desk: z.object({
    loops: z.array(Notice),
    storms: z.array(Storm).default([]),
    book: z.object({
      alerts: z.array(Alert),
      groups: z.array(z.object({ key: z.string(), receivers: z.array(z.string()), toldMs: ms })),
    }),
    silences: z.array(
      z.object({
        id: z.string(),
        matchers: z.array(SilenceMatcher),
        comment: z.string(),
        createdMs: ms,
        expiresMs: ms,
      }),
    ),
    unstored: z.array(
      z.object({
        token: z.string(),
        events: z.array(
          z.object({
            ruleId: z.string(),
            fingerprint: z.string(),
            atMs: ms,
            activeMs: ms,
            from: z.enum(ALERT_STATES),
            to: z.enum(ALERT_STATES),
            value: z.number(),
            threshold: z.number(),
            labels,
            sentence: z.string(),
          }),
        ),
      }),
    ),
    outbox: z.object({
      waiting: z.array(z.object({ ...attempted, message: Message, nextMs: ms })),
      ended: z.array(
        z.object({
          ...attempted,
          status: z.enum(['delivered', 'failed']),
          ruleId: z.string(),
          says: z.enum(['firing', 'resolved', 'test']),
          alerts: count,
          sentence: z.string(),
        }),
      ),
      sequence: count,
    }),
  }) satisfies z.ZodType<Desk>,
});

export interface DeskFileOptions {
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
  readonly log: Logger;
}

/** @returns what was written last; an empty desk where nothing was, or nothing that can be read as one */
export async function readDesk({ dataDirectory, fileSystem, log }: DeskFileOptions): Promise<Desk> {
  const path = join(dataDirectory, FILE);
  const bytes = await fileSystem.read(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes === undefined) return EMPTY_DESK;
  const parsed = DeskFile.safeParse(parseJson(Buffer.from(bytes).toString('utf8')));
  if (parsed.success) return parsed.data.desk;
  const aside = `${path}.unreadable`;
  await fileSystem.rename(path, aside);
  log.error({ path: aside }, 'alert states could not be read and were put aside');
  return EMPTY_DESK;
}

/** When it resolves, the desk survives a power cut. Rejects with the system's error. */
export function writeDesk(desk: Desk, { dataDirectory, fileSystem }: DeskFileOptions): Promise<void> {
  const text = JSON.stringify({ version: VERSION, desk });
  return writeDurableFile(join(dataDirectory, FILE), Buffer.from(text), fileSystem);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Read as what it is: no desk. The caller says so.
    return undefined;
  }
}
