// What the service and its preparing thread say to each other. Bytes are handed over, not copied: whoever sent them has
// them no more.

import type { CaptureMode } from '../../core/model/tool-call.ts';
import type { PreparedBody, RawBody } from './prepare-body.ts';

export interface PrepareWorkerData {
  readonly capture: CaptureMode;
  /** Of the fingerprints. */
  readonly key: Uint8Array;
}

export interface PrepareRequest {
  readonly id: number;
  readonly body: RawBody;
}

export type PrepareResponse =
  | { readonly isReady: true }
  | { readonly id: number; readonly result: PreparedBody }
  | { readonly id: number; readonly failure: string };
