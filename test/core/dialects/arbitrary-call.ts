// Reduced calls with every field free within what a ToolCall promises of it.
import fc from 'fast-check';
import { classifyFault } from '../../../src/core/classification/classify-ending.ts';
import type { ExportedCall } from '../../../src/core/dialects/toolscope-span.ts';
import { formatArgumentOrigins, RESULT_USES } from '../../../src/core/model/argument-origin.ts';
import { OUTCOMES } from '../../../src/core/model/outcome.ts';
import { CONFIDENCE_BY_SOURCE, SESSION_SOURCES } from '../../../src/core/model/session.ts';
import { RESULT_TRAITS, type ToolCall, TRANSPORTS } from '../../../src/core/model/tool-call.ts';
import { redactText } from '../../../src/core/values/redact-text.ts';
import { toShape } from '../../../src/core/values/shape.ts';

const hexOf = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });
const fingerprint = fc.oneof(fc.constant(''), hexOf(16));
/** What holds a secret comes back without it. */
const isClean = (said: string): boolean => redactText(said) === said;
const text = fc.string({ maxLength: 12 }).filter(isClean);
const shape = fc.oneof(
  fc.constant(''),
  fc
    .jsonValue({ maxDepth: 3, stringUnit: 'binary-ascii' })
    .map((value) => toShape(value))
    .filter(isClean),
);
const count = fc.nat();
const method = fc.oneof(
  fc.constantFrom(
    'tools/call',
    'tools/list',
    'prompts/get',
    'resources/read',
    'initialize',
    'sampling/createMessage',
  ),
  fc.string({ minLength: 1, maxLength: 12 }).filter(isClean),
);

const masked = fc
  .tuple(fingerprint, fc.option(fingerprint))
  .map(([exact, other]) => [exact, other ?? exact] as const);

const origins = fc.array(
  fc.oneof(
    fc.record({
      path: text,
      kind: fc.constantFrom('argument' as const, 'declared' as const, 'nowhere' as const),
    }),
    fc.record({
      path: text,
      kind: fc.constantFrom('result' as const, 'part' as const),
      source: fc.record({ tool: text, path: text, use: fc.constantFrom(...RESULT_USES) }),
    }),
  ),
  { maxLength: 3 },
);

const fields = fc.record({
  traceId: hexOf(32),
  spanId: hexOf(16),
  parentSpanId: fc.oneof(fc.constant(''), hexOf(16)),
  serverName: text,
  serverVersion: text,
  environment: text,
  clientName: text,
  clientVersion: text,
  protocolVersion: text,
  transport: fc.constantFrom(...TRANSPORTS),
  principal: fingerprint,
  planId: text,
  side: fc.constantFrom('server' as const, 'client' as const),
  method,
  toolName: text,
  target: text,
  requestId: text,
  startedAtUs: fc.integer({ min: 0, max: 4_102_444_800_000_000 }),
  durationUs: count,
  outcome: fc.constantFrom(...OUTCOMES),
  errorCode: fc.constantFrom('', '-32602', '-32603', '-32601', 'HTTP_404', 'NOT_FOUND'),
  errorType: text,
  errorMessage: text,
  errorArgument: text,
  errorFingerprint: fingerprint,
  errorInResult: fc.boolean(),
  fingerprintKeyId: fc.stringMatching(/^[0-9a-f]{8}$/),
  argumentFingerprints: fc.dictionary(text, hexOf(16), { maxKeys: 4, noNullPrototype: true }),
  argumentsShape: shape,
  argumentsBytes: count,
  argumentOrigins: origins.map(formatArgumentOrigins),
  argumentSources: fc.array(hexOf(16), { maxLength: 3 }).map((ids) => ids.join(',')),
  resultSimilarity: fingerprint,
  resultTrait: fc.constantFrom('' as const, ...RESULT_TRAITS),
  resultShape: shape,
  resultLines: count,
  resultBytes: count,
  resultFields: fc.array(text, { minLength: 1, maxLength: 3 }).map((paths) => JSON.stringify(paths)),
  catalogueHash: fingerprint,
  attributes: fc.constantFrom({}, { 'telemetry.sdk.language': 'go' }),
});

const session = fc
  .record({
    source: fc.constantFrom(...SESSION_SOURCES),
    id: fc.string({ minLength: 1, maxLength: 12 }).filter(isClean),
  })
  .map(({ source, id }) => ({
    sessionSource: source,
    sessionId: source === 'none' ? '' : id,
    sessionConfidence: CONFIDENCE_BY_SOURCE[source],
  }));

export const arbitraryCall: fc.Arbitrary<ToolCall> = fc
  .tuple(fields, session, masked, masked)
  .map(([some, sessionFields, args, result]) => ({
    ...some,
    ...sessionFields,
    fault: classifyFault(some.outcome, some.errorCode),
    argumentsFingerprint: args[0],
    argumentsMaskedFingerprint: args[1],
    resultFingerprint: result[0],
    resultMaskedFingerprint: result[1],
  }));

const payload = fc.record({ arguments: text, result: text, truncated: fc.boolean() });
const tool = fc.record(
  {
    name: text,
    title: text,
    description: text,
    inputSchema: fc.constant({ type: 'object', properties: { q: { type: 'string' } } }),
    annotations: fc.record({ readOnlyHint: fc.boolean() }),
  },
  { requiredKeys: ['name'], noNullPrototype: true },
);
export const arbitraryCatalogue = fc.record({ hash: hexOf(16), tools: fc.array(tool, { maxLength: 3 }) });

/** A call with what may travel along; a listing is one of the call’s own server, at its start. */
export const arbitraryRedactedCall: fc.Arbitrary<ExportedCall> = fc
  .tuple(arbitraryCall, fc.option(payload), fc.option(arbitraryCatalogue), fc.nat(5))
  .map(([call, some, catalogue, droppedCalls]) => ({
    call: catalogue ? { ...call, catalogueHash: catalogue.hash } : call,
    droppedCalls,
    ...(some && { payload: some }),
    ...(catalogue && {
      listing: {
        serverName: call.serverName,
        serverVersion: call.serverVersion,
        environment: call.environment,
        listedAtUs: call.startedAtUs,
        origin: 'list' as const,
        catalogue,
      },
    }),
  }));
