// What is left of arguments, results and messages when they may not be said, by capture mode. `none` and `shape` keep
// no value; `none` keeps fingerprints and sizes all the same, because they carry none and loops are found by them.
import type { CallPayload, CaptureMode, ToolCall } from '../model/tool-call.ts';
import { toArgumentRole } from './argument-role.ts';
import { countJsonBytes, type TextHashers, toBoundedCopy, toHashInput } from './bounded-copy.ts';
import { toCanonicalText } from './canonical-text.ts';
import { normaliseFailureText, toErrorTemplate, toExcerpt } from './error-template.ts';
import type { Fingerprinter } from './fingerprint.ts';
import { isRecord } from './is-record.ts';
import { maskNoise } from './mask-noise.ts';
import { type PayloadText, toPayloadText } from './payload-text.ts';
import { type PlainObject, readPlainObject } from './plain-json.ts';
import { redactKey } from './redact-name.ts';
import { redactAndTruncate, redactByPattern, redactText } from './redact-text.ts';
import type { RedactionOptions } from './redaction-options.ts';
import { omitMeta, toResultShape, toResultText } from './result-text.ts';
import { toResultTrait } from './result-trait.ts';
import {
  collectDeclaredWords,
  type SchemaLocation,
  toItemLocation,
  toPropertyLocation,
  toSchemaLocation,
} from './schema-location.ts';
import { TOO_LARGE_SHAPE, toShape } from './shape.ts';

export interface RedactedArguments
  extends Pick<
    ToolCall,
    | 'fingerprintKeyId'
    | 'argumentsFingerprint'
    | 'argumentsMaskedFingerprint'
    | 'argumentFingerprints'
    | 'argumentsShape'
    | 'argumentsBytes'
  > {
  /** Only in modes `redacted` and `full`. */
  readonly payload?: PayloadText;
}

export interface RedactedResult
  extends Pick<
    ToolCall,
    | 'resultFingerprint'
    | 'resultMaskedFingerprint'
    | 'resultSimilarity'
    | 'resultTrait'
    | 'resultShape'
    | 'resultLines'
    | 'resultBytes'
  > {
  /** Only in modes `redacted` and `full`. */
  readonly payload?: PayloadText;
}

/** Top-level arguments that get a fingerprint of their own. */
const MAX_ARGUMENTS = 32;
/** UTF-16 units of a redacted message, and of a message as it comes: one as long as this was cut before it came here. */
const MAX_MESSAGE_LENGTH = 2000;
const MAX_READ_MESSAGE_LENGTH = 8192;

/** Of arguments that were not looked at: how large they are, about. Unknown fingerprints are equal to none. */
export function toSizeOnlyArguments(
  bytes: number,
  { capture, fingerprinter }: RedactionOptions,
): RedactedArguments {
  return {
    fingerprintKeyId: fingerprinter.keyId,
    argumentsFingerprint: '',
    argumentsMaskedFingerprint: '',
    argumentFingerprints: {},
    argumentsShape: capture === 'none' ? '' : TOO_LARGE_SHAPE,
    argumentsBytes: bytes,
  };
}

/** The same of a result. */
export function toSizeOnlyResult(bytes: number, { capture }: RedactionOptions): RedactedResult {
  return { ...NO_RESULT, resultShape: capture === 'none' ? '' : TOO_LARGE_SHAPE, resultBytes: bytes };
}

const NO_RESULT: RedactedResult = {
  resultFingerprint: '',
  resultMaskedFingerprint: '',
  resultSimilarity: '',
  resultTrait: '',
  resultShape: '',
  resultLines: 0,
  resultBytes: 0,
};

/**
 * Reduces the arguments of a call.
 * @param value `params.arguments`; absent ones count as `{}`, as the SDKs treat them.
 * @param schema the tool's input schema, if it is known; without it undeclared names are classed.
 */
export function redactArguments(
  value: unknown,
  schema: unknown,
  redaction: RedactionOptions,
): RedactedArguments {
  return runToCompletion(redactArgumentsInSteps(value, schema, redaction));
}

/** The same in steps; see `redactResultInSteps`. */
export function* redactArgumentsInSteps(
  value: unknown,
  schema: unknown,
  redaction: RedactionOptions,
): Generator<undefined, RedactedArguments> {
  const plain = readPlainObject(value ?? {});
  if (plain !== undefined && !plain.hasNonce)
    return redactPlainArguments(value, plain, { schema, redaction });
  const { fingerprinter, capture } = redaction;
  const bounded = toBoundedCopy(value ?? {}, createExactHashers(fingerprinter));
  const argumentsFingerprint = fingerprinter.fingerprint(toCanonicalText(bounded.value));
  yield;
  const stable = removeNonces(bounded.value);
  const argumentsMaskedFingerprint =
    stable === bounded.value ? argumentsFingerprint : fingerprinter.fingerprint(toCanonicalText(stable));
  const argumentFingerprints = fingerprintEachArgument(bounded.value, schema, fingerprinter);
  yield;
  return {
    fingerprintKeyId: fingerprinter.keyId,
    argumentsFingerprint,
    argumentsMaskedFingerprint,
    argumentFingerprints,
    argumentsShape: capture === 'none' ? '' : redactByPattern(toShape(value ?? {}, schema)),
    argumentsBytes: value === undefined ? 0 : bounded.bytes,
    ...toPayload(value, capture),
  };
}

interface PlainArgumentsOptions {
  readonly schema: unknown;
  readonly redaction: RedactionOptions;
}

/** The same of small and plain arguments without nonces, from one walk. */
function redactPlainArguments(
  value: unknown,
  { members, text }: PlainObject,
  { schema, redaction: { fingerprinter, capture } }: PlainArgumentsOptions,
): RedactedArguments {
  const argumentsFingerprint = fingerprinter.fingerprint(text);
  const location = toSchemaLocation(schema);
  const argumentFingerprints: Record<string, string> = {};
  for (const { name, text: item } of members.slice(0, MAX_ARGUMENTS))
    argumentFingerprints[labelArgument(name, location, fingerprinter)] = fingerprinter.fingerprint(item);
  return {
    fingerprintKeyId: fingerprinter.keyId,
    argumentsFingerprint,
    argumentsMaskedFingerprint: argumentsFingerprint,
    argumentFingerprints,
    argumentsShape: capture === 'none' ? '' : redactByPattern(toShape(value ?? {}, schema)),
    argumentsBytes: value === undefined ? 0 : Buffer.byteLength(text),
    ...toPayload(value, capture),
  };
}

export interface ResultOptions {
  /** Output schema of the tool: it declares names and enum values of the structured content. */
  readonly schema?: unknown;
  /** When the answer was made, in epoch milliseconds: a time around it is noise. */
  readonly atMs?: number;
}

/**
 * Reduces the result of a call, whole.
 * @param result of any method; undefined when there was none.
 */
export function redactResult(
  result: unknown,
  redaction: RedactionOptions,
  options: ResultOptions = {},
): RedactedResult {
  return runToCompletion(redactResultInSteps(result, redaction, options));
}

function runToCompletion<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * The same in steps of well under a millisecond each (0.25 ms is the longest, with a result of 1 MB), for
 * callers that share a process with requests: call `next()` until it is done, and yield to the event loop in between.
 */
export function* redactResultInSteps(
  result: unknown,
  { capture, fingerprinter }: RedactionOptions,
  { schema, atMs }: ResultOptions = {},
): Generator<undefined, RedactedResult> {
  if (result === undefined) return NO_RESULT;
  const answer = omitMeta(result);
  const plain = readPlainObject(answer);
  const resultBytes = plain === undefined ? countJsonBytes(answer) : Buffer.byteLength(plain.text);
  const structured = plain?.members.find(({ name }) => name === 'structuredContent')?.text;
  yield;
  const hashers = { ...createExactHashers(fingerprinter), hashed: false };
  const exact = {
    binary: hashers.binary,
    text: (long: string) => {
      hashers.hashed = true;
      return hashers.text(long);
    },
  };
  const text = toResultText(result, exact, structured);
  const resultLines = countLines(text);
  yield;
  const resultFingerprint = yield* fingerprinter.fingerprintInSteps(toHashInput(text));
  yield;
  // Only where a long string stands as its hash does the mask see another text.
  const readable = hashers.hashed ? toResultText(result, createMaskedHashers(fingerprinter, atMs)) : text;
  const masked = maskNoise(toExcerpt(readable), atMs);
  const resultMaskedFingerprint = masked === text ? resultFingerprint : fingerprinter.fingerprint(masked);
  yield;
  // Of JSON every value counts: what is noise in it goes by its name, and one new id is a new answer.
  const resultSimilarity = looksLikeJson(text) ? '' : fingerprinter.similarityHash(masked);
  yield;
  return {
    resultFingerprint,
    resultMaskedFingerprint,
    resultSimilarity,
    resultTrait: toResultTrait(text, isRecord(result) ? result['structuredContent'] : undefined),
    resultShape: capture === 'none' ? '' : redactByPattern(toResultShape(result, schema)),
    resultLines,
    resultBytes,
    ...toPayload(result, capture),
  };
}

/**
 * Reduces an error message: nothing in `none`, a masked template in `shape`, the redacted message otherwise.
 * @param options.schema input schema of the tool: the names it declares may stay in a template.
 */
export function redactMessage(
  text: string,
  { capture }: RedactionOptions,
  { schema }: { readonly schema?: unknown } = {},
): string {
  if (capture === 'none' || text === '') return '';
  if (capture === 'shape') return toErrorTemplate(text, { known: collectDeclaredWords(schema) });
  const { text: redacted, truncated } = redactAndTruncate(
    text,
    MAX_MESSAGE_LENGTH,
    text.length < MAX_READ_MESSAGE_LENGTH,
  );
  return truncated ? `${redacted}…[truncated]` : redacted;
}

/**
 * Fingerprint of what a failure says, without ids, numbers, paths and quoted values; '' where it says nothing.
 * @param message raw, as the judgement gives it
 */
export function fingerprintFailure(message: string, { fingerprinter }: RedactionOptions): string {
  const text = normaliseFailureText(message);
  return text === '' ? '' : fingerprinter.fingerprint(text);
}

/**
 * Looks through a message that its producer has reduced already, in a mode of its own choice.
 * @param text a template, or a redacted message.
 */
export function redactReceivedMessage(text: string, { capture }: RedactionOptions): string {
  return capture === 'full' ? text : redactAndTruncate(text, MAX_READ_MESSAGE_LENGTH).text;
}

/**
 * Reduces the path of a refused argument: its keys may be the caller's own words.
 * @param path as `errorArgument` of a judgement, e.g. `filter.tags[]`.
 */
export function redactArgumentPath(path: string, schema: unknown, { capture }: RedactionOptions): string {
  if (path === '' || capture === 'none') return '';
  if (capture !== 'shape') return redactText(path);
  let location = toSchemaLocation(schema);
  const steps = path
    .split('.')
    .slice(0, 8)
    .map((step) => {
      const name = step.replace(/(?:\[\])+$/, '');
      const part = redactKey(name, location) + step.slice(name.length);
      location = toPropertyLocation(location, name);
      if (name !== step) location = toItemLocation(location);
      return part;
    });
  return steps.join('.');
}

/** Both payload texts of a call as one record, or undefined where the mode keeps none. */
export function toCallPayload(args: RedactedArguments, result: RedactedResult): CallPayload | undefined {
  if (!args.payload && !result.payload) return undefined;
  return {
    arguments: args.payload?.text ?? '',
    result: result.payload?.text ?? '',
    truncated: (args.payload?.truncated ?? false) || (result.payload?.truncated ?? false),
  };
}

function toPayload(value: unknown, capture: CaptureMode): { readonly payload?: PayloadText } {
  return capture === 'redacted' || capture === 'full' ? { payload: toPayloadText(value, capture) } : {};
}

function createExactHashers({ fingerprint }: Fingerprinter): TextHashers {
  const hash = (text: string): string => fingerprint(toHashInput(text));
  return { text: hash, binary: hash };
}

function createMaskedHashers({ fingerprint }: Fingerprinter, atMs: number | undefined): TextHashers {
  return {
    text: (text) => fingerprint(maskNoise(toExcerpt(text), atMs)),
    binary: (text) => fingerprint(toHashInput(text)),
  };
}

/** Whether a text is one JSON value, by its ends: this runs for every result. */
function looksLikeJson(text: string): boolean {
  return /^\s{0,64}[{[]/.test(text) && /[}\]]\s{0,64}$/.test(text.slice(-65));
}

/** A value without the members that are made up for each call, at any depth; the very same value where there are none. */
function removeNonces(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(removeNonces);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const kept = entries
    .filter(([name]) => toArgumentRole(name) !== 'nonce')
    .map(([name, item]) => [name, removeNonces(item)] as const);
  const isWhole = kept.length === entries.length && kept.every(([, item], at) => item === entries[at]?.[1]);
  return isWhole ? value : Object.fromEntries(kept);
}

/** An undeclared name that may be a value is told from others by its keyed hash, or two arguments would be one. */
function labelArgument(name: string, location: SchemaLocation, fingerprinter: Fingerprinter): string {
  const redactedName = redactKey(name, location);
  return redactedName === name ? name : `${redactedName}:${fingerprinter.fingerprint(name).slice(0, 6)}`;
}

function fingerprintEachArgument(
  value: unknown,
  schema: unknown,
  fingerprinter: Fingerprinter,
): Record<string, string> {
  if (!isRecord(value)) return {};
  const location = toSchemaLocation(schema);
  const entries = Object.entries(value).slice(0, MAX_ARGUMENTS);
  return Object.fromEntries(
    entries.map(([name, item]) => {
      const label = labelArgument(name, location, fingerprinter);
      return [label, fingerprinter.fingerprint(toCanonicalText(removeNonces(item)))];
    }),
  );
}

/** UTF-16 units whose lines are counted; those of a longer text are estimated from its ends. */
const MAX_COUNTED_LENGTH = 2_000_000;

function countLines(text: string): number {
  if (text === '') return 0;
  if (text.length > MAX_COUNTED_LENGTH) {
    const lines =
      countLines(text.slice(0, MAX_COUNTED_LENGTH / 2)) + countLines(text.slice(-MAX_COUNTED_LENGTH / 2));
    return Math.round((lines * text.length) / MAX_COUNTED_LENGTH);
  }
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
