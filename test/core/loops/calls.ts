// Calls for detector tests, made of real arguments and texts by the functions that the observer reduces calls with.
import type { LoopCall } from '../../../src/core/loops/loop-call.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';
import { redactArguments } from '../../../src/core/values/redact-arguments.ts';
import { fingerprintFailure, redactMessage } from '../../../src/core/values/redact-message.ts';
import { redactResult } from '../../../src/core/values/redact-result.ts';
import type { RedactionOptions } from '../../../src/core/values/redaction-options.ts';

export interface CallInput {
  readonly tool?: string;
  readonly server?: string;
  readonly args?: unknown;
  /** The text that came back. */
  readonly text?: string;
  /** Error code; makes the call a failure whose message is the text. */
  readonly error?: string;
  readonly errorInResult?: boolean;
  /** The required argument that the refusal is about. */
  readonly missing?: string;
  readonly outcome?: LoopCall['outcome'];
  /** Seconds after the call before; 3 if not said. */
  readonly after?: number;
  /** Seconds it took; a fifth of one if not said. */
  readonly took?: number;
  readonly annotations?: LoopCall['annotations'];
  readonly turn?: number;
  readonly userMessageBefore?: boolean;
}

const START_US = 1_780_000_000_000_000;

export const shapeRedaction: RedactionOptions = {
  capture: 'shape',
  fingerprinter: createFingerprinter(Buffer.from('a key for tests')),
};

/** One session: each call starts `after` seconds after the one before, and takes a fifth of a second. */
export function toLoopCalls(inputs: readonly CallInput[], by: RedactionOptions = shapeRedaction): LoopCall[] {
  let startedAtUs = START_US;
  return inputs.map((call, index) => {
    startedAtUs += Math.round((call.after ?? 3) * 1e6);
    return toCall(call, { index, startedAtUs, by });
  });
}

function toCall(
  said: CallInput,
  { index, startedAtUs, by }: { index: number; startedAtUs: number; by: RedactionOptions },
): LoopCall {
  const { tool = 'search', server = 'notes', args = {}, text = 'done', error } = said;
  const failed = error !== undefined || said.errorInResult === true;
  const redactedArguments = redactArguments(args, schemaOf(args), by);
  const atMs = startedAtUs / 1000;
  const redactedResult = redactResult({ content: [{ type: 'text', text }] }, by, { atMs });
  return {
    ...redactedArguments,
    ...redactedResult,
    traceId: 'f'.repeat(32),
    spanId: index.toString(16).padStart(16, '0'),
    serverName: server,
    toolName: tool,
    startedAtUs,
    durationUs: Math.round((said.took ?? 0.2) * 1e6),
    outcome: said.outcome ?? (error === undefined ? 'ok' : 'tool_error'),
    errorCode: error ?? '',
    errorMessage: failed ? redactMessage(text, by) : '',
    errorArgument: said.missing ?? '',
    errorFingerprint: failed ? fingerprintFailure(text, by) : '',
    errorInResult: said.errorInResult ?? false,
    ...(said.annotations && { annotations: said.annotations }),
    ...(said.turn !== undefined && { turn: said.turn }),
    ...(said.userMessageBefore && { userMessageBefore: true }),
  };
}

/** Live, the tool declares its arguments, and what is declared keeps its name. */
function schemaOf(args: unknown): unknown {
  const names = typeof args === 'object' && args !== null ? Object.keys(args) : [];
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

/** The same call, over and over. */
export function repeatCall(count: number, said: CallInput | ((at: number) => CallInput)): CallInput[] {
  return Array.from({ length: count }, (_, at) => (typeof said === 'function' ? said(at) : said));
}

const WORDS =
  'amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north ocean pines quarry ridge slope trail upland valley water yonder zephyr anchor bridge castle desert engine forest garden harbor island jungle kettle lantern meadow needle orchard pebble quiver rocket saddle temple useful velvet window yellow'.split(
    ' ',
  );

/** A line of words that looks random and is the same for the same seed. */
export function seededLine(seed: number, words = 9): string {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return Array.from({ length: words }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    return WORDS[state % WORDS.length];
  }).join(' ');
}

/** Many of them. */
export function seededLines(seed: number, lines: number): string[] {
  return Array.from({ length: lines }, (_, at) => seededLine(seed * 1009 + at));
}
