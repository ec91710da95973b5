// A notification on its way to one receiver, and how one attempt to send it ended.

import type { AlertMessage } from '../alert-records.ts';

export type NotificationResult =
  | {
      readonly status: 'delivered';
      readonly httpStatus: number | null;
      /** What the receiver needs to change this message later. */
      readonly reference?: string;
    }
  | { readonly status: 'failed'; readonly httpStatus: number | null; readonly reason: string }
  | {
      readonly status: 'retry';
      readonly httpStatus: number | null;
      readonly reason: string;
      readonly retryAfterMs: number | undefined;
      /** The message was sent and there was no answer: it may have arrived. */
      readonly isUnanswered?: boolean;
    };

export interface Notification {
  /** The Idempotency-Key. */
  readonly id: string;
  readonly message: AlertMessage;
  /** Aborts the attempt when the service ends. */
  readonly signal: AbortSignal;
  /** What the receiver answered to the previous notification about the group. */
  readonly reference?: string | undefined;
}
