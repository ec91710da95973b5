// Messages between the service and the preparing worker. Bytes are transferred, not copied.

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
