// What the service and its preparing thread say to each other. Bytes are handed over, not copied: whoever sent them has
// them no more.

import type { CaptureMode } from '../../core/model/tool-call.ts';
import type { PreparedBody, RawBody } from './prepare-body.ts';

export interface ThreadStart {
  readonly capture: CaptureMode;
  /** Of the fingerprints. */
  readonly key: Uint8Array;
}

export interface ThreadOrder {
  readonly id: number;
  readonly body: RawBody;
}

export type ThreadAnswer =
  | { readonly isReady: true }
  | { readonly id: number; readonly result: PreparedBody }
  | { readonly id: number; readonly failure: string };
