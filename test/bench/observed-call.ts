// One observed call, as the parts of the bench that send calls to a service make it.
import type { ToolCall } from '../../src/core/model/tool-call.ts';

/** The same number always has the same id, which no other number has. */
export const hex = (n: number, digits: number): string => `c${n.toString(16).padStart(digits - 1, '0')}`;

/** A call of a notes server as `observe()` reports it; it ended just now. */
export function createObservedCall(n: number): ToolCall {
  const nowUs = Date.now() * 1000;
  return {
    traceId: hex(n, 32),
    spanId: hex(n, 16),
    parentSpanId: '',
    serverName: 'notes',
    serverVersion: '1.4.2',
    environment: 'production',
    clientName: 'cursor',
    clientVersion: '1.7.2',
    protocolVersion: '2025-11-25',
    transport: 'http',
    principal: '',
    sessionId: `0d6c3a52-8f5e-4a0e-9b43-${hex(n >> 6, 12)}`,
    sessionSource: 'transport',
    sessionConfidence: 'high',
    planId: '',
    side: 'server',
    method: 'tools/call',
    toolName: ['search_notes', 'read_note', 'write_note'][n % 3] ?? '',
    target: '',
    requestId: String(n),
    startedAtUs: nowUs - 20_000,
    durationUs: 3_000 + (n % 9_000),
    outcome: 'ok',
    fault: 'none',
    errorCode: '',
    errorType: '',
    errorMessage: '',
    errorArgument: '',
    errorFingerprint: '',
    errorInResult: false,
    fingerprintKeyId: '1f2e3d4c',
    argumentsFingerprint: hex(n, 16),
    argumentsMaskedFingerprint: hex(n, 16),
    argumentFingerprints: { query: hex(n, 16), limit: '0123456789abcdef' },
    argumentsShape: '{"query":"string:24","limit":"int"}',
    argumentsBytes: 48,
    argumentOrigins: n % 3 === 0 ? '[["query","result","list_items","items[].id","first"]]' : '',
    argumentSources: n % 3 === 0 ? hex(n * 17, 16) : '',
    resultFingerprint: hex(n * 7, 16),
    resultMaskedFingerprint: hex(n * 7, 16),
    resultSimilarity: hex(n * 13, 16),
    resultTrait: '',
    resultShape: '{"content":[1,{"type":"=text","text":"string:512"}]}',
    resultLines: 12,
    resultBytes: 560,
    resultFields: '["items[].id","items[].name","next_cursor"]',
    catalogueHash: '0123456789abcdef',
    attributes: {},
  };
}
