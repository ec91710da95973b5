// Promises in the words of a description: the codes of its errors, and an empty result where there is nothing.

import type { ToolDefinition } from '../../model/catalogue.ts';
import type { ResultTrait } from '../../model/tool-call.ts';
import { type BreakingCall, type PromiseRecord, type PromiseTest, toPromiseRecord } from './promise.ts';

/** Calls with one end. */
export interface EndedCalls {
  readonly outcome: string;
  readonly code: string;
  readonly trait: ResultTrait;
  /** They failed because nothing was there. */
  readonly isNotFound: boolean;
  readonly n: number;
  /** The newest of them. */
  readonly call: BreakingCall;
}

/** A code as authors write it: `NOT_FOUND`, `E_CONFLICT`. One word in capitals may be anything. */
const CODE = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
/** One code may be an example; a list is all of them. */
const MIN_LISTED_CODES = 2;
const SPEAKS_OF_ERRORS = /\b(?:errors?|fails?|failure|throws?|codes?|refuse[sd]?|rejects?)\b/i;

/** Codes in sentences about errors. */
export function listPromisedCodes({ description = '' }: ToolDefinition): ReadonlySet<string> {
  const sentences = description.split(/(?<=[.!?])\s+|\n\n+/);
  const codes = sentences
    .filter((sentence) => SPEAKS_OF_ERRORS.test(sentence))
    .flatMap((sentence) => sentence.match(CODE) ?? []);
  return new Set(codes);
}

const RETURNS_EMPTY =
  /\b(?:returns?|gives?|yields?|responds? with)\b[^.]{0,40}\b(?:an? empty|nothing|no (?:results|items|matches|rows))\b[^.]{0,60}\b(?:if|when|where)\b|\b(?:if|when|where)\b[^.]{0,60}\b(?:no|none|nothing)\b[^.]{0,60}\b(?:returns?|gives?|yields?)\b[^.]{0,20}\b(?:an? empty|nothing)\b/i;

export const promisesEmptyResult = ({ description = '' }: ToolDefinition): boolean =>
  RETURNS_EMPTY.test(description);

/** The promises that the description makes. */
export function testWords(tool: ToolDefinition, calls: readonly EndedCalls[]): PromiseRecord[] {
  const codes = listPromisedCodes(tool);
  return [
    ...(codes.size >= MIN_LISTED_CODES
      ? [
          toPromiseRecord(
            { kind: 'error_codes' },
            calls.flatMap((ended) => testCode(ended, codes)),
          ),
        ]
      : []),
    ...(promisesEmptyResult(tool)
      ? [toPromiseRecord({ kind: 'empty_if_none' }, calls.flatMap(testEmptyResult))]
      : []),
  ];
}

/** Only errors that the tool words itself. */
const isOwnError = ({ outcome }: EndedCalls): boolean => outcome === 'tool_error' || outcome === 'exception';

function testCode(ended: EndedCalls, codes: ReadonlySet<string>): PromiseTest[] {
  return isOwnError(ended) ? [{ isKept: codes.has(ended.code), n: ended.n, call: ended.call }] : [];
}

function testEmptyResult(ended: EndedCalls): PromiseTest[] {
  if (isOwnError(ended) && ended.isNotFound) return [{ isKept: false, n: ended.n, call: ended.call }];
  return ended.outcome === 'ok' && ended.trait === 'empty'
    ? [{ isKept: true, n: ended.n, call: ended.call }]
    : [];
}
