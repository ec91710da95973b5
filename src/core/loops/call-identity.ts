// Represents a call's request as numbers that compare quickly. Values are compared exactly. Which arguments
// count depends on their names and on the answer: twelve times "ok" to twelve messages is twelve deliveries;
// the same long page for twelve explanations is one page.

import { hashText } from '../model/hash-text.ts';
import { type ArgumentRole, toArgumentRole } from '../values/argument-role.ts';
import type { LoopCall } from './loop-call.ts';

/**
 * Arguments that may not count, reported if their values differ: alternating names and value hashes. Flat and
 * of exact size, because a session keeps 48 of them.
 */
export type SecondaryArguments = readonly (string | number)[];

/** One call's request as 32-bit hashes, because a session keeps many of them. 0 means unknown. */
export interface CallIdentity {
  readonly tool: number;
  /** Tool and all arguments that count. */
  readonly intent: number;
  /** The same without cursors and limits; equal to `intent` if there is none. */
  readonly intentWithoutPaging: number;
  /** Hash of the exact arguments, all of them. */
  readonly request: number;
  /** Arguments that may not count, if any. */
  readonly secondaryArguments: SecondaryArguments | undefined;
}

/** The kind of answer, as far as it decides which arguments count. */
export type AnswerClass = 'says_something' | 'says_done' | 'failed';

/**
 * A bare "done" says nothing about the request, so every optional argument counts; a failure does not depend
 * on wording.
 */
const COUNTED_ROLES: Readonly<Record<AnswerClass, readonly ArgumentRole[]>> = {
  says_something: ['meaning', 'cursor', 'limit'],
  failed: ['meaning', 'cursor', 'limit', 'handle'],
  says_done: ['meaning', 'cursor', 'limit', 'handle', 'moment', 'remark'],
};

/** @param ignored argument names that a thresholds file or the tool itself declares volatile */
export function identifyCall(
  call: LoopCall,
  answerClass: AnswerClass = 'says_something',
  ignored?: ReadonlySet<string>,
): CallIdentity {
  const tool = hashText(call.toolName, hashText(call.serverName, 0)) || 1;
  const whole = call.argumentsMaskedFingerprint || call.argumentsFingerprint;
  if (whole === '')
    return { tool, intent: 0, intentWithoutPaging: 0, request: 0, secondaryArguments: undefined };
  const request = hashText(call.argumentsFingerprint, tool) || 1;
  const { names, meant, intent, beside, asides } = hashArguments(call.argumentFingerprints, {
    answerClass,
    ignored,
  });
  if (meant > 0)
    return {
      tool,
      intent: (tool + intent) | 0 || 1,
      intentWithoutPaging: (tool + beside) | 0 || 1,
      request,
      secondaryArguments: asides,
    };
  // If all arguments are secondary, they are the request. Without any names, only the whole is known.
  const all = hashText(names > 0 ? call.argumentsFingerprint || whole : whole, tool) || 1;
  return { tool, intent: all, intentWithoutPaging: all, request, secondaryArguments: asides };
}

interface CountingOptions {
  readonly answerClass: AnswerClass;
  readonly ignored: ReadonlySet<string> | undefined;
}

/** Sums, so that the order of the arguments does not matter. */
function hashArguments(values: LoopCall['argumentFingerprints'], { answerClass, ignored }: CountingOptions) {
  const counted = COUNTED_ROLES[answerClass];
  const sum = {
    names: 0,
    meant: 0,
    intent: 0,
    beside: 0,
    asides: undefined as SecondaryArguments | undefined,
  };
  for (const name in values) {
    sum.names++;
    const role = ignored?.has(name) ? 'nonce' : toArgumentRole(name);
    const nameHash = hashText(name, 0);
    const value = hashText(values[name] ?? '', nameHash);
    if (role !== 'meaning')
      // `concat`, because spreading or pushing would allocate capacity for 17 more: 130 bytes per call.
      sum.asides = sum.asides === undefined ? [name, value] : sum.asides.concat(name, value);
    if (!counted.includes(role)) continue;
    sum.meant++;
    sum.intent = (sum.intent + value) | 0;
    sum.beside = (sum.beside + (role === 'cursor' || role === 'limit' ? nameHash : value)) | 0;
  }
  return sum;
}
