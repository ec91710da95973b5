// Promises about effects, tested by calls in order: a read before and after a call, with nothing else in between that could
// change anything, and the same call made twice in a row.

import type { ToolDefinition } from '../../model/catalogue.ts';
import type { ResultTrait } from '../../model/tool-call.ts';
import { groupBy } from '../../values/group-by.ts';
import type { BreakingCall, PromiseTest } from './promise.ts';

/** A call in its session. */
export interface OrderedCall extends BreakingCall {
  readonly tool: string;
  /** Identifies the session. */
  readonly session: string;
  readonly isOk: boolean;
  /** It failed because nothing was there. */
  readonly isNotFound: boolean;
  /** Equal for equal arguments under one key; empty if unknown. */
  readonly arguments: string;
  /** Equal for equal results under one key; empty if unknown. */
  readonly result: string;
  /** The same with times and ids masked. */
  readonly maskedResult: string;
  readonly trait: ResultTrait;
  /** Whether it met the current definition. */
  readonly isCurrent: boolean;
}

/** A read is stable if it was repeated so often with nothing in between, and never differed. */
const MIN_STABLE_REPEATS = 3;
/** The same call again within this time is a repetition. */
const MAX_REPEAT_US = 60_000_000;

export interface OrderedTests {
  readonly readOnly: readonly PromiseTest[];
  readonly notDestructive: readonly PromiseTest[];
  readonly idempotent: readonly PromiseTest[];
}

/** @returns by tool */
export function testInOrder(
  calls: readonly OrderedCall[],
  tools: readonly ToolDefinition[],
): (tool: string) => OrderedTests {
  const sessions = [...groupBy(calls, ({ session }) => session).values()].map((own) =>
    [...own].sort((one, other) => one.startedUs - other.startedUs || (one.spanId < other.spanId ? -1 : 1)),
  );
  const readers = new Set(
    tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name),
  );
  const stable = findStableTools(sessions);
  return (tool) => {
    const triples = sessions
      .flatMap((session) => listTriples(session, tool))
      .filter(({ before }) => readers.has(before.tool));
    return {
      readOnly: triples.filter(({ before }) => stable.has(before.tool)).flatMap(testReadOnly),
      notDestructive: triples.flatMap(testNotDestructive),
      idempotent: sessions.flatMap((session) => testRepeats(session, tool)),
    };
  };
}

/** The same read directly before and directly after a call. */
interface Triple {
  readonly before: OrderedCall;
  readonly call: OrderedCall;
  readonly after: OrderedCall;
}

function listTriples(session: readonly OrderedCall[], tool: string): Triple[] {
  return session.flatMap((call, at) => {
    const [before, after] = [session[at - 1], session[at + 1]];
    if (before === undefined || after === undefined || call.tool !== tool) return [];
    if (!call.isOk || !call.isCurrent || before.tool === tool) return [];
    return isSameCall(before, after) ? [{ before, call, after }] : [];
  });
}

const isSameCall = (one: OrderedCall, other: OrderedCall): boolean =>
  one.tool === other.tool && one.arguments !== '' && one.arguments === other.arguments;

function testReadOnly({ before, call, after }: Triple): PromiseTest[] {
  if (!before.isOk || !after.isOk || before.maskedResult === '' || after.maskedResult === '') return [];
  return [{ isKept: before.maskedResult === after.maskedResult, n: 1, call }];
}

function testNotDestructive({ before, call, after }: Triple): PromiseTest[] {
  if (!before.isOk || before.trait === 'empty') return [];
  const isGone = after.isNotFound || (after.isOk && after.trait === 'empty');
  return isGone || after.isOk ? [{ isKept: !isGone, n: 1, call }] : [];
}

/** Tools whose result stays the same when nothing is called in between. */
function findStableTools(sessions: readonly (readonly OrderedCall[])[]): ReadonlySet<string> {
  const repeats = sessions.flatMap((session) =>
    session.flatMap((call, at) => {
      const next = session[at + 1];
      if (next === undefined || !isSameCall(call, next) || !call.isOk || !next.isOk) return [];
      if (call.maskedResult === '' || next.maskedResult === '') return [];
      return [{ tool: call.tool, isSame: call.maskedResult === next.maskedResult }];
    }),
  );
  const stable = [...groupBy(repeats, ({ tool }) => tool)].filter(
    ([, own]) => own.length >= MIN_STABLE_REPEATS && own.every(({ isSame }) => isSame),
  );
  return new Set(stable.map(([tool]) => tool));
}

/** Where only times or ids differ, it cannot be told whether a second thing came to be. */
function testRepeats(session: readonly OrderedCall[], tool: string): PromiseTest[] {
  return session.flatMap((first, at): PromiseTest[] => {
    const again = session[at + 1];
    if (again === undefined || first.tool !== tool || !isSameCall(first, again) || !again.isCurrent)
      return [];
    if (!first.isOk || !again.isOk || again.startedUs - first.startedUs > MAX_REPEAT_US) return [];
    if (first.result === '' || again.result === '') return [];
    if (first.result === again.result) return [{ isKept: true, n: 1, call: again }];
    const isOnlyMasked = first.maskedResult === again.maskedResult;
    return isOnlyMasked || again.trait === 'pending' ? [] : [{ isKept: false, n: 1, call: again }];
  });
}
