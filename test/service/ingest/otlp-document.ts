// One OTLP document and its two encodings, written by hand from the field numbers of opentelemetry-proto v1.11, so that
// the decoders under test cannot agree with themselves.
import { type BufferWriter, Writer } from 'protobufjs';

export interface TestSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name?: string;
  kind?: number;
  startMs: number;
  durationMs?: number;
  attributes?: Record<string, string | number | boolean>;
  service?: string;
  scope?: string;
}

/** Span id of `toolCall(n)`. */
export function toSpanId(n: number): string {
  return `b${n.toString(16).padStart(15, '0')}`;
}

/** A valid `tools/call` of the official conventions, number `n` of its test. */
export function toolCall(n: number, startMs: number, more: Partial<TestSpan> = {}): TestSpan {
  return {
    traceId: `a${n.toString(16).padStart(31, '0')}`,
    spanId: toSpanId(n),
    name: 'tools/call search',
    kind: 2,
    startMs,
    durationMs: 5,
    attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'search' },
    ...more,
  };
}

const nanos = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n;

export function toJson(spans: readonly TestSpan[]): string {
  return JSON.stringify({
    resourceSpans: spans.map((span) => ({
      resource: { attributes: attributesToJson({ 'service.name': span.service ?? 'notes' }) },
      scopeSpans: [
        {
          scope: { name: span.scope ?? 'test' },
          spans: [
            {
              traceId: span.traceId,
              spanId: span.spanId,
              ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
              name: span.name ?? '',
              kind: span.kind ?? 2,
              startTimeUnixNano: String(nanos(span.startMs)),
              endTimeUnixNano: String(nanos(span.startMs + (span.durationMs ?? 0))),
              attributes: attributesToJson(span.attributes ?? {}),
            },
          ],
        },
      ],
    })),
  });
}

function attributesToJson(attributes: Record<string, string | number | boolean>) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : { intValue: String(value) },
  }));
}

const LENGTH = 2;
const FIXED64 = 1;
const tag = (field: number, wire: number): number => (field << 3) | wire;

export function toProtobuf(spans: readonly TestSpan[]): Buffer {
  const writer = Writer.create();
  for (const span of spans) {
    writer.uint32(tag(1, LENGTH)).fork();
    writer.uint32(tag(1, LENGTH)).fork();
    writeAttributes(writer, 1, { 'service.name': span.service ?? 'notes' });
    writer.ldelim();
    writer.uint32(tag(2, LENGTH)).fork();
    writer.uint32(tag(1, LENGTH)).fork();
    writer.uint32(tag(1, LENGTH)).string(span.scope ?? 'test');
    writer.ldelim();
    writer.uint32(tag(2, LENGTH)).fork();
    writeSpan(writer, span);
    writer.ldelim().ldelim().ldelim();
  }
  return Buffer.from(writer.finish());
}

function writeSpan(writer: Writer | BufferWriter, span: TestSpan): void {
  writer.uint32(tag(1, LENGTH)).bytes(Buffer.from(span.traceId, 'hex'));
  writer.uint32(tag(2, LENGTH)).bytes(Buffer.from(span.spanId, 'hex'));
  if (span.parentSpanId) writer.uint32(tag(4, LENGTH)).bytes(Buffer.from(span.parentSpanId, 'hex'));
  writer.uint32(tag(5, LENGTH)).string(span.name ?? '');
  writer.uint32(tag(6, 0)).int32(span.kind ?? 2);
  writer.uint32(tag(7, FIXED64)).fixed64(toLong(nanos(span.startMs)));
  writer.uint32(tag(8, FIXED64)).fixed64(toLong(nanos(span.startMs + (span.durationMs ?? 0))));
  writeAttributes(writer, 9, span.attributes ?? {});
}

function writeAttributes(
  writer: Writer | BufferWriter,
  field: number,
  attributes: Record<string, string | number | boolean>,
): void {
  for (const [key, value] of Object.entries(attributes)) {
    writer.uint32(tag(field, LENGTH)).fork();
    writer.uint32(tag(1, LENGTH)).string(key);
    writer.uint32(tag(2, LENGTH)).fork();
    if (typeof value === 'string') writer.uint32(tag(1, LENGTH)).string(value);
    else if (typeof value === 'boolean') writer.uint32(tag(2, 0)).bool(value);
    else writer.uint32(tag(3, 0)).int64(value);
    writer.ldelim().ldelim();
  }
}

function toLong(value: bigint) {
  return { low: Number(value & 0xffffffffn) | 0, high: Number(value >> 32n) | 0, unsigned: true };
}
