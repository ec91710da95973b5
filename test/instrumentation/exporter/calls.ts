// Calls to deliver, told apart by their request ids, and what a receiver finds in a body.
import fc from 'fast-check';
import type { ExportedCall } from '../../../src/core/dialects/toolscope-span.ts';
import { decodeTracesJson } from '../../../src/core/otlp/decode-json.ts';
import type { OtlpSpan } from '../../../src/core/otlp/span.ts';
import { arbitraryCall } from '../../core/dialects/arbitrary-call.ts';

const [some] = fc.sample(arbitraryCall, { numRuns: 1, seed: 7 });

export function createTestCall(id: number, errorMessage = ''): ExportedCall {
  return {
    call: { ...some!, serverName: 'notes', method: 'tools/call', requestId: String(id), errorMessage },
  };
}

export function spansIn(body: Uint8Array): OtlpSpan[] {
  const decoded = decodeTracesJson(Buffer.from(body).toString());
  if (decoded.status !== 'decoded') throw new Error(decoded.reason);
  return decoded.spans;
}

export const idsIn = (body: Uint8Array): number[] =>
  spansIn(body).map((span) => Number(span.attributes['jsonrpc.request.id']));

export const droppedCallsIn = (body: Uint8Array): number =>
  spansIn(body).reduce(
    (sum, span) => sum + Number(span.attributes['toolscope.delivery.dropped_calls'] ?? 0),
    0,
  );
