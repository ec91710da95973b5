// What detection needs from the rest of the service: calls and loops of the store, and the storage of its
// position.

import type { LoopCall } from '../../core/loops/loop-call.ts';
import type { ToolAnnotations } from '../../core/model/catalogue.ts';
import type { LoopRecord } from '../../core/model/loop-record.ts';
import type { SessionSource } from '../../core/model/session.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';

/** Identity of a session; unrelated sessions are never merged. */
export interface SessionIdentity {
  readonly server: string;
  readonly source: SessionSource;
  readonly id: string;
}

/** A call with its session and its ingest position. */
export interface SessionCall {
  readonly session: SessionIdentity;
  readonly environment: string;
  readonly client: string;
  readonly planId: string;
  readonly ingestNode: string;
  readonly ingestSeq: number;
  readonly call: LoopCall;
}

/** A record and how often it was written. */
export interface LoopRevision {
  readonly record: LoopRecord;
  readonly revision: number;
}

/** A storm and how often it was written. */
export interface StormRevision {
  readonly record: StormRecord;
  readonly revision: number;
}

/** Calls of one session that may belong to a storm. */
export interface StormSession {
  readonly session: SessionIdentity;
  readonly errorMessage: string;
  readonly calls: number;
}

/** Every function rejects when the store fails; detection then retries. */
export interface DetectionStore {
  /** Calls of one node after one position up to another, in the order it took them. */
  readNewCalls(part: {
    readonly node: string;
    readonly after: number;
    readonly upTo: number;
    readonly limit: number;
  }): Promise<readonly SessionCall[]>;
  /** The newest calls of each of these sessions, each once, in the order they began. */
  readSessionCalls(sessions: readonly SessionIdentity[], limit: number): Promise<readonly SessionCall[]>;
  /** How many calls each session has in the store. */
  countSessionCalls(
    sessions: readonly SessionIdentity[],
  ): Promise<readonly { readonly session: SessionIdentity; readonly calls: number }[]>;
  readToolAnnotations(server: string): Promise<ReadonlyMap<string, ToolAnnotations>>;
  readSessionLoops(sessions: readonly SessionIdentity[]): Promise<readonly LoopRevision[]>;
  /** Loops that go on, and those whose newest call is no older than that, in microseconds since the epoch. */
  readOpenLoops(sinceUs: number): Promise<readonly LoopRevision[]>;
  writeLoops(revisions: readonly LoopRevision[]): Promise<void>;
  /** The newest calls of one node up to a position that began no earlier than that, in the order it took them. */
  readRecentCalls(part: {
    readonly node: string;
    readonly upTo: number;
    readonly sinceUs: number;
    readonly limit: number;
  }): Promise<readonly SessionCall[]>;
  /** Storms that go on, and those whose newest call is no older than that, in microseconds since the epoch. */
  readOpenStorms(sinceUs: number): Promise<readonly StormRevision[]>;
  /** The sessions of a storm so far, by the calls of one node up to a position. */
  readStormSessions(
    record: StormRecord,
    counted: { readonly node: string; readonly upTo: number },
  ): Promise<readonly StormSession[]>;
  writeStorms(revisions: readonly StormRevision[]): Promise<void>;
}

/** How far the calls of one ingest node were read. */
export interface PositionRepository {
  /** 0 when nothing was kept. */
  read(): Promise<number>;
  write(position: number): Promise<void>;
}
