import type { CaptureMode } from '../model/tool-call.ts';
import type { Fingerprinter } from './fingerprint.ts';

export interface RedactionOptions {
  readonly capture: CaptureMode;
  readonly fingerprinter: Fingerprinter;
}
