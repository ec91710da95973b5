// What the made-up fortnight of `create-dataset.ts` consists of.
import type { LoopRecord } from '../../../src/core/model/loop-record.ts';
import type { SeededCall } from './seeded-calls.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface DatasetCall extends SeededCall {
  catalogue_hash: string;
  fingerprint_key_id: string;
  argument_fingerprints: Record<string, string>;
  /** What the call took from earlier results, in the texts of `src/core/model/argument-origin.ts`. */
  argument_origins?: string;
  argument_sources?: string;
  result_fields?: string;
}

/** One listing of one tool, as the ingest stores it. */
export interface DatasetListing {
  readonly server_name: string;
  readonly server_version: string;
  readonly environment: string;
  readonly listedUs: number;
  readonly origin: 'list' | 'start';
  readonly catalogue_hash: string;
  readonly tool_name: string;
  readonly definition: string;
  readonly definition_hash: string;
}

export interface Dataset {
  readonly calls: readonly DatasetCall[];
  readonly listings: readonly DatasetListing[];
  readonly loops: readonly LoopRecord[];
  /** Nothing at all was called from here for an hour. */
  readonly silentFromMs: number;
}

/** When the newer version came; staging is first. */
export const deployedAtMs = (environment: string, nowMs: number): number =>
  nowMs - (environment === 'staging' ? 29 : 20) * HOUR;
