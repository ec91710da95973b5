// What queries depend on besides their parameters. Freshness comes from ingest, which this module does not
// import.

import type { AlertRuleKind } from '../../../contract/alert-rule-kinds.ts';
import type { StoredErrorGroupMark } from '../../../contract/error-groups.ts';
import type { StoredLoopFeedback } from '../../../contract/loop-feedback.ts';
import type { NamesBeyondLimit, PipelineStatus } from '../../../contract/summary.ts';
import type { ErrorCodeOverrides } from '../../../core/classification/caller-error-codes.ts';
import type { ThresholdTable } from '../../../core/loops/thresholds.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';

/** The current time in epoch milliseconds. */
export type EpochClock = () => number;

/** Ingest's view of calls that are pending or lost. */
export interface Freshness {
  readonly pendingCalls: number;
  readonly droppedByProducers: number;
  readonly rejectedSpans: number;
  /** Why no calls are accepted; absent while they are. */
  readonly notTaking?: string | undefined;
  /** Absent if all names of the day are stored as sent. */
  readonly namesBeyondLimits?: NamesBeyondLimit[];
  readonly pipeline?: PipelineStatus;
}

/** Price of a million tokens. */
export interface TokenPrice {
  readonly perMillion: number;
  /** ISO 4217. */
  readonly currency: string;
}

/** An alert that is firing and not silenced. Unknown fields are empty. */
export interface FiringAlert {
  readonly rule: string;
  readonly kind: AlertRuleKind;
  readonly server: string;
  readonly environment: string;
  readonly client: string;
  readonly tools: readonly string[];
  /** The evidence as a sentence. */
  readonly sentence: string;
}

/** Where the marks of error groups are kept. */
export interface ErrorGroupMarkRepository {
  list(): Promise<readonly StoredErrorGroupMark[]>;
  /** Replaces the mark of its group. */
  set(mark: StoredErrorGroupMark): Promise<void>;
}

/** Where feedback on loops is kept. */
export interface LoopFeedbackRepository {
  /** Oldest first. */
  list(): Promise<readonly StoredLoopFeedback[]>;
  /** Replaces the feedback on its loop. */
  set(feedback: StoredLoopFeedback): Promise<void>;
  remove(loopId: string): Promise<void>;
}

/** What every query depends on. */
export interface QueryContext {
  readonly store: StoreReader;
  readonly nowMs: number;
  /** Retention of single calls and minutes, in days. */
  readonly rawDays: number;
  /** Thresholds of the loop detector where they differ from the defaults. */
  readonly thresholds?: ThresholdTable | undefined;
  /** Error codes that servers use in another sense than the built-in table. */
  readonly errorCodes?: ErrorCodeOverrides | undefined;
  /** Absent if no token price is configured. */
  readonly tokenPrice?: TokenPrice | undefined;
  /** Absent when the store is read-only: then nothing is saved. */
  readonly writer?: StoreWriter | undefined;
  /** Absent if alerts are disabled. */
  readonly firingAlerts?: (() => readonly FiringAlert[]) | undefined;
  /** Absent where no data directory is open: then every group is open. */
  readonly errorGroupMarks?: ErrorGroupMarkRepository | undefined;
  /** Absent where no data directory is open: then no loop has feedback. */
  readonly loopFeedback?: LoopFeedbackRepository | undefined;
}
