// A call that was answered and is not described yet, as little text as identifies it: what the calls of one tool in one session have
// in common is a template, and each call only the fields that go between its pieces. Filled in, it is the span that
// `encodeCallJson` would have written, without values.

import type { ToolCall } from '../model/tool-call.ts';
import { toResourceSpansJson } from '../otlp/encode-json.ts';
import { encodeCallJson } from './toolscope-span-json.ts';

/** Pieces of JSON; a field stands between each two. */
export type CallTemplate = readonly string[];

/** What differs between the calls of one template. */
export interface AnsweredCallFields {
  readonly traceId: string;
  readonly spanId: string;
  /** '' when there is none. */
  readonly parentSpanId: string;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
  readonly durationUs: number;
  /** As it may leave the process. */
  readonly requestId: string;
  readonly argumentsBytes: number;
  readonly resultBytes: number;
}

/** Values that occur nowhere else in a call, in the order in which a span has them. */
const MARKS = {
  traceId: 'f0e1d2c3b4a5968778695a4b3c2d1e0f',
  spanId: 'f0e1d2c3b4a59687',
  parentSpanId: '78695a4b3c2d1e0f',
  startedAtUs: 1_999_999_999_999_111,
  durationUs: 222,
  requestId: '\u0001',
  argumentsBytes: 4_000_000_333,
  resultBytes: 4_000_000_444,
} as const satisfies AnsweredCallFields;

/** As they stand in the JSON. */
const MARK_TEXTS = [
  `"${MARKS.traceId}"`,
  `"${MARKS.spanId}"`,
  `"parentSpanId":"${MARKS.parentSpanId}",`,
  `"${MARKS.startedAtUs}000"`,
  `"${MARKS.startedAtUs + MARKS.durationUs}000"`,
  '"\\u0001"',
  `"${MARKS.argumentsBytes}"`,
  `"${MARKS.resultBytes}"`,
] as const;

/** The template of the calls that are like this one in all but their fields; undefined if there is none, as for failures. */
export function toCallTemplate(call: ToolCall): CallTemplate | undefined {
  let rest = toSpanItem({ ...call, ...MARKS });
  const pieces: string[] = [];
  for (const mark of MARK_TEXTS) {
    const [before, after, ...more] = rest.split(mark);
    if (before === undefined || after === undefined || more.length > 0) return undefined;
    pieces.push(before);
    rest = after;
  }
  return [...pieces, rest];
}

/** A call by itself, as one item of `resourceSpans`. */
export function toSpanItem(call: ToolCall): string {
  return Buffer.from(toResourceSpansJson(encodeCallJson({ call }))).toString();
}

const SEPARATOR = '\t';

/** The fields of a call as one line; JSON, so that neither a tab nor a line break is in one. */
export function toFieldsText(call: AnsweredCallFields): string {
  const parent = call.parentSpanId === '' ? '' : `"parentSpanId":"${call.parentSpanId}",`;
  return (
    `"${call.traceId}"\t"${call.spanId}"\t${parent}\t"${call.startedAtUs}000"\t"${call.startedAtUs + call.durationUs}000"` +
    `\t${JSON.stringify(call.requestId)}\t"${call.argumentsBytes}"\t"${call.resultBytes}"`
  );
}

/** Fills in a template: one item of `resourceSpans`. @returns undefined if the fields do not fit it */
export function fillTemplate(template: CallTemplate, fieldsText: string): string | undefined {
  const fields = fieldsText.split(SEPARATOR);
  if (fields.length !== template.length - 1) return undefined;
  return template.map((piece, at) => piece + (fields[at] ?? '')).join('');
}
