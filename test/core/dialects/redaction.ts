// The reductions these tests read with.
import type { CaptureMode } from '../../../src/core/model/tool-call.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';
import type { RedactionOptions } from '../../../src/core/values/redaction-options.ts';

const fingerprinter = createFingerprinter(Buffer.alloc(32, 7));

export const redactionOf = (capture: CaptureMode): RedactionOptions => ({ capture, fingerprinter });
export const SHAPE_REDACTION = redactionOf('shape');
