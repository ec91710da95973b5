// What is left of arguments, results and messages when they may not be said, by capture mode. `none` and `shape` keep
// no value; `none` keeps fingerprints and sizes all the same, because they carry none and loops are found by them.
import type { CallPayload, CaptureMode, ToolCall } from '../model/tool-call.ts';
import { argumentRoleOf } from './argument-role.ts';
import { canonicalText } from './canonical.ts';
import { condense, type Hashes, hashable, jsonBytes } from './condense.ts';
import { declaredWords, itemPlace, placeOf, propertyPlace } from './declared.ts';
import { errorTemplate } from './error-template.ts';
import { excerpt } from './excerpt.ts';
import { failureText } from './failure-text.ts';
import type { Fingerprinter } from './fingerprint.ts';
import { isRecord } from './is-record.ts';
import { maskNoise } from './mask.ts';
import { nameOrClass } from './name-class.ts';
import { type PayloadText, payloadText } from './payload.ts';
import { redactByLook, redactHead, redactText } from './redaction.ts';
import { resultShape } from './result-shape.ts';
import { resultText, withoutMeta } from './result-text.ts';
import { resultTraitOf } from './result-trait.ts';
import { shapeOf, TOO_LARGE_SHAPE } from './shape.ts';

export interface Reduction {
  readonly capture: CaptureMode;
  readonly fingerprinter: Fingerprinter;
}

export interface ReducedArguments
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

export interface ReducedResult
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
const ARGUMENT_LIMIT = 32;
/** UTF-16 units of a redacted message, and of a message as it comes: one as long as this was cut before it came here. */
const MESSAGE_LIMIT = 2000;
const MESSAGE_READ = 8192;

/** Of arguments that were not looked at: how large they are, about. Unknown fingerprints are equal to none. */
export function undescribedArguments(bytes: number, { capture, fingerprinter }: Reduction): ReducedArguments {
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
export function undescribedResult(bytes: number, { capture }: Reduction): ReducedResult {
  return { ...NO_RESULT, resultShape: capture === 'none' ? '' : TOO_LARGE_SHAPE, resultBytes: bytes };
}

const NO_RESULT: ReducedResult = {
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
export function reduceArguments(value: unknown, schema: unknown, reduction: Reduction): ReducedArguments {
  return drive(argumentSteps(value, schema, reduction));
}

/** The same in steps; see `resultSteps`. */
export function* argumentSteps(
  value: unknown,
  schema: unknown,
  { fingerprinter, capture }: Reduction,
): Generator<undefined, ReducedArguments> {
  const condensed = condense(value ?? {}, exactHashes(fingerprinter));
  const argumentsFingerprint = fingerprinter.fingerprint(canonicalText(condensed.value));
  yield;
  const lasting = withoutNonces(condensed.value);
  const argumentsMaskedFingerprint =
    lasting === condensed.value ? argumentsFingerprint : fingerprinter.fingerprint(canonicalText(lasting));
  const argumentFingerprints = eachArgument(condensed.value, schema, fingerprinter);
  yield;
  return {
    fingerprintKeyId: fingerprinter.keyId,
    argumentsFingerprint,
    argumentsMaskedFingerprint,
    argumentFingerprints,
    argumentsShape: capture === 'none' ? '' : redactByLook(shapeOf(value ?? {}, schema)),
    argumentsBytes: value === undefined ? 0 : condensed.bytes,
    ...payloadOf(value, capture),
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
export function reduceResult(
  result: unknown,
  reduction: Reduction,
  options: ResultOptions = {},
): ReducedResult {
  return drive(resultSteps(result, reduction, options));
}

function drive<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * The same in steps of well under a millisecond each (0.25 ms is the longest, with a result of 1 MB), for whoever
 * works beside somebody else's requests: call `next()` until it is done, and yield to the event loop in between.
 */
export function* resultSteps(
  result: unknown,
  { capture, fingerprinter }: Reduction,
  { schema, atMs }: ResultOptions = {},
): Generator<undefined, ReducedResult> {
  if (result === undefined) return NO_RESULT;
  const resultBytes = jsonBytes(withoutMeta(result));
  yield;
  const hashes = { ...exactHashes(fingerprinter), hashed: false };
  const text = resultText(result, {
    binary: hashes.binary,
    text: (long) => {
      hashes.hashed = true;
      return hashes.text(long);
    },
  });
  const resultLines = linesOf(text);
  yield;
  const resultFingerprint = yield* fingerprinter.fingerprintSteps(hashable(text));
  yield;
  // Only where a long string stands as its hash does the mask see another text.
  const readable = hashes.hashed ? resultText(result, maskedHashes(fingerprinter, atMs)) : text;
  const masked = maskNoise(excerpt(readable), atMs);
  const resultMaskedFingerprint = masked === text ? resultFingerprint : fingerprinter.fingerprint(masked);
  yield;
  // Of JSON every value counts: what is noise in it goes by its name, and one new id is a new answer.
  const resultSimilarity = isJson(text) ? '' : fingerprinter.similarity(masked);
  yield;
  return {
    resultFingerprint,
    resultMaskedFingerprint,
    resultSimilarity,
    resultTrait: resultTraitOf(text, isRecord(result) ? result['structuredContent'] : undefined),
    resultShape: capture === 'none' ? '' : redactByLook(resultShape(result, schema)),
    resultLines,
    resultBytes,
    ...payloadOf(result, capture),
  };
}

/**
 * Reduces an error message: nothing in `none`, a masked template in `shape`, the redacted message otherwise.
 * @param options.schema input schema of the tool: the names it declares may stay in a template.
 */
export function reduceMessage(
  text: string,
  { capture }: Reduction,
  { schema }: { readonly schema?: unknown } = {},
): string {
  if (capture === 'none') return '';
  if (capture === 'shape') return errorTemplate(text, { known: declaredWords(schema) });
  const { text: said, truncated } = redactHead(text, MESSAGE_LIMIT, text.length < MESSAGE_READ);
  return truncated ? `${said}…[truncated]` : said;
}

/**
 * Fingerprint of what a failure says, without ids, numbers, paths and quoted values; '' where it says nothing.
 * @param message raw, as the judgement gives it
 */
export function failureFingerprint(message: string, { fingerprinter }: Reduction): string {
  const text = failureText(message);
  return text === '' ? '' : fingerprinter.fingerprint(text);
}

/**
 * Looks through a message that its producer has reduced already, in a mode of its own choice.
 * @param text a template, or a redacted message.
 */
export function retakeMessage(text: string, { capture }: Reduction): string {
  return capture === 'full' ? text : redactHead(text, MESSAGE_READ).text;
}

/**
 * Reduces the path of a refused argument: its keys may be the caller's own words.
 * @param path as `errorArgument` of a judgement, e.g. `filter.tags[]`.
 */
export function reduceArgumentPath(path: string, schema: unknown, { capture }: Reduction): string {
  if (path === '' || capture === 'none') return '';
  if (capture !== 'shape') return redactText(path);
  let place = placeOf(schema);
  const said = path
    .split('.')
    .slice(0, 8)
    .map((step) => {
      const name = step.replace(/(?:\[\])+$/, '');
      const part = nameOrClass(name, place) + step.slice(name.length);
      place = propertyPlace(place, name);
      if (name !== step) place = itemPlace(place);
      return part;
    });
  return said.join('.');
}

/** Both payload texts of a call as one record, or undefined where the mode keeps none. */
export function toCallPayload(args: ReducedArguments, result: ReducedResult): CallPayload | undefined {
  if (!args.payload && !result.payload) return undefined;
  return {
    arguments: args.payload?.text ?? '',
    result: result.payload?.text ?? '',
    truncated: (args.payload?.truncated ?? false) || (result.payload?.truncated ?? false),
  };
}

function payloadOf(value: unknown, capture: CaptureMode): { readonly payload?: PayloadText } {
  return capture === 'redacted' || capture === 'full' ? { payload: payloadText(value, capture) } : {};
}

function exactHashes({ fingerprint }: Fingerprinter): Hashes {
  const hash = (text: string): string => fingerprint(hashable(text));
  return { text: hash, binary: hash };
}

function maskedHashes({ fingerprint }: Fingerprinter, atMs: number | undefined): Hashes {
  return {
    text: (text) => fingerprint(maskNoise(excerpt(text), atMs)),
    binary: (text) => fingerprint(hashable(text)),
  };
}

/** Whether a text is one JSON value, by its ends: this runs for every result. */
function isJson(text: string): boolean {
  return /^\s{0,64}[{[]/.test(text) && /[}\]]\s{0,64}$/.test(text.slice(-65));
}

/** A value without the members that are made up for each call, at any depth; the very same value where there are none. */
function withoutNonces(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutNonces);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const kept = entries
    .filter(([name]) => argumentRoleOf(name) !== 'nonce')
    .map(([name, item]) => [name, withoutNonces(item)] as const);
  const isWhole = kept.length === entries.length && kept.every(([, item], at) => item === entries[at]?.[1]);
  return isWhole ? value : Object.fromEntries(kept);
}

/** An undeclared name that may be a value is told from others by its keyed hash, or two arguments would be one. */
function eachArgument(value: unknown, schema: unknown, fingerprinter: Fingerprinter): Record<string, string> {
  if (!isRecord(value)) return {};
  const place = placeOf(schema);
  const entries = Object.entries(value).slice(0, ARGUMENT_LIMIT);
  return Object.fromEntries(
    entries.map(([name, item]) => {
      const said = nameOrClass(name, place);
      const label = said === name ? name : `${said}:${fingerprinter.fingerprint(name).slice(0, 6)}`;
      return [label, fingerprinter.fingerprint(canonicalText(withoutNonces(item)))];
    }),
  );
}

/** UTF-16 units whose lines are counted; those of a longer text are estimated from its ends. */
const COUNTED = 2_000_000;

function linesOf(text: string): number {
  if (text === '') return 0;
  if (text.length > COUNTED) {
    const lines = linesOf(text.slice(0, COUNTED / 2)) + linesOf(text.slice(-COUNTED / 2));
    return Math.round((lines * text.length) / COUNTED);
  }
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
