// What agents did in which order, by walking through each session's rows in memory: after an error, beside a tool, in place of a
// tool, in a row. A call is followed by the next call of its session, whatever a filter hides: filters only say of which
// calls something is told.
import { isCallerCode } from '../../../src/core/classification/caller-error-codes.ts';
import type { LoopRecord } from '../../../src/core/model/loop-record.ts';
import type { DatasetCall } from '../dataset/dataset.ts';
import { groupBy, matches, type OracleFilters, type OracleRange, sessionKey } from './call-stats.ts';
import { expectedProportion } from './expect-stats.ts';

/** A session that has said nothing for so long has ended. */
const SESSION_TIMEOUT_MS = 5 * 60_000;

export interface OrderInput {
  readonly calls: readonly DatasetCall[];
  /** As it is used. */
  readonly span: OracleRange;
  readonly filters?: OracleFilters;
  readonly nowMs: number;
}

export interface OrderedSession {
  readonly key: string;
  /** Counted calls of the range, oldest first. */
  readonly calls: readonly DatasetCall[];
  /** Something of it lies before the range. */
  readonly isCut: boolean;
  /** It goes on behind the range, or may. */
  readonly isOpen: boolean;
}

export const isCounted = ({ side, method, outcome }: DatasetCall): boolean =>
  side === 'server' && method === 'tools/call' && outcome !== 'input_required';

export const hasFailed = ({ fault }: DatasetCall): boolean => fault === 'client' || fault === 'server';

/** It did what it was asked: an answer that says "error" did not. */
const isSuccess = ({ outcome, error_in_result }: DatasetCall): boolean =>
  outcome === 'ok' && error_in_result === 0;

/** Every session that has a name. */
export function orderedSessions({ calls, span, nowMs }: OrderInput): OrderedSession[] {
  const named = calls.filter(({ side, session_id }) => side === 'server' && session_id !== '');
  const endMs = Math.min(span.toMs, nowMs - SESSION_TIMEOUT_MS);
  return [...groupBy(named, sessionKey)].map(([key, all]) => ({
    key,
    calls: all
      .filter((call) => isCounted(call) && call.startedUs >= span.fromMs * 1_000)
      .filter(({ startedUs }) => startedUs < span.toMs * 1_000)
      .sort((a, b) => a.startedUs - b.startedUs || (a.span_id < b.span_id ? -1 : 1)),
    isCut: all.some(({ startedUs }) => startedUs < span.fromMs * 1_000),
    isOpen: all.some(({ startedUs, duration_us }) => startedUs + duration_us >= endMs * 1_000),
  }));
}

export type NextStep = 'sameCall' | 'changedArguments' | 'otherTool' | 'gaveUp';

export interface FollowedError {
  readonly call: DatasetCall;
  readonly step: NextStep;
  readonly hasRecovered: boolean;
  /** Names of arguments that differ in the next call, where they were changed. */
  readonly changed: readonly string[];
}

/** Failed calls of which it is known what came next. */
export function followErrors(walk: OrderInput): FollowedError[] {
  return orderedSessions(walk)
    .filter(({ isCut }) => !isCut)
    .flatMap((run) =>
      run.calls.flatMap((call, at): FollowedError[] => {
        if (!hasFailed(call) || !matches(call, walk.filters ?? {})) return [];
        const step = stepAfter(call, run.calls[at + 1], run.isOpen);
        if (step === undefined) return [];
        const hasRecovered = run.calls.some(
          (later) =>
            later.tool_name === call.tool_name && isSuccess(later) && later.startedUs > call.startedUs,
        );
        const changed = step === 'changedArguments' ? changedArgumentNames(call, run.calls[at + 1]) : [];
        return [{ call, step, hasRecovered, changed }];
      }),
    );
}

function stepAfter(call: DatasetCall, next: DatasetCall | undefined, isOpen: boolean): NextStep | undefined {
  if (next === undefined) return isOpen ? undefined : 'gaveUp';
  if (next.tool_name !== call.tool_name) return 'otherTool';
  const [one, other] = [call.arguments_fingerprint, next.arguments_fingerprint];
  if (one === '0' || other === '0' || call.fingerprint_key_id !== next.fingerprint_key_id) return undefined;
  return one === other ? 'sameCall' : 'changedArguments';
}

function changedArgumentNames(call: DatasetCall, next: DatasetCall | undefined): string[] {
  const [one, other] = [call.argument_fingerprints, next?.argument_fingerprints ?? {}];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => one[name] !== other[name]);
}

/** The counts of a bar of what came next. */
export function countNextSteps(followed: readonly FollowedError[]) {
  const of = (step: NextStep) => followed.filter((one) => one.step === step).length;
  return {
    n: followed.length,
    sameCall: of('sameCall'),
    changedArguments: of('changedArguments'),
    otherTool: of('otherTool'),
    gaveUp: of('gaveUp'),
    recovered: followed.filter(({ hasRecovered }) => hasRecovered).length,
  };
}

/** One tool beside, after or in place of another, in one session. */
export interface ToolTransition {
  readonly call: DatasetCall;
  readonly other: string;
  /** The later one of the two failed. */
  readonly hasFailed: boolean;
  readonly session: string;
}

/** What was called next after each call, or just before it. */
export function findNeighbours(walk: OrderInput, place: 'before' | 'after'): ToolTransition[] {
  const lastOf = (calls: readonly DatasetCall[], at: number) => calls[place === 'after' ? at + 1 : at];
  return pairsIn(walk, (calls, at) => calls[place === 'after' ? at + 1 : at - 1]?.tool_name, lastOf);
}

/** A tool failed, or said so in its answer, was left for three calls, and another one did it in one of these. */
export function findConfusions(walk: OrderInput): ToolTransition[] {
  return findFallbacks(walk, (isByPlan) => !isByPlan);
}

/** Whether a refusal or a code says that the caller got a call wrong. */
export const isWrongCall = ({
  outcome,
  fault,
  error_code,
}: Pick<DatasetCall, 'outcome' | 'fault' | 'error_code'>): boolean =>
  outcome === 'invalid_arguments' ||
  outcome === 'unknown_tool' ||
  (outcome === 'protocol_error' && fault === 'client') ||
  ((outcome === 'tool_error' || outcome === 'exception') && isCallerCode(error_code));

/** Calls in confusions of three calls and two sessions or more, as far as no code says that they are wrong. */
export function countConfusedCalls(
  walk: OrderInput,
  accepts: (call: DatasetCall) => boolean = () => true,
): number {
  const confusions = findConfusions(walk).filter(({ call }) => accepts(call));
  const pairs = groupBy(confusions, ({ call, other }) =>
    JSON.stringify([call.server_name, call.tool_name, other]),
  );
  return [...pairs.values()]
    .filter((own) => own.length >= 3 && new Set(own.map(({ session }) => session)).size >= 2)
    .reduce((sum, own) => sum + own.filter(({ call }) => !isWrongCall(call)).length, 0);
}

/** What is left for another tool because nothing was there, and asks that one something else. */
export function findPlannedFallbacks(walk: OrderInput): ToolTransition[] {
  return findFallbacks(walk, (isByPlan) => isByPlan);
}

function findFallbacks(walk: OrderInput, accepts: (isByPlan: boolean) => boolean): ToolTransition[] {
  return pairsIn(walk, (calls, at) => {
    const call = calls[at] as DatasetCall;
    if (call.tool_name === '' || (!hasFailed(call) && call.error_in_result === 0)) return undefined;
    const next = calls.slice(at + 1, at + 4);
    if (next.some(({ tool_name }) => tool_name === call.tool_name)) return undefined;
    const done = next.find(isSuccess);
    if (done === undefined) return undefined;
    return accepts(done === next[0] && isPlanned(call, done)) ? done.tool_name : undefined;
  });
}

/** The only answer of the made-up fortnight that says that nothing was there, and a next call without a value of its arguments. */
function isPlanned(call: DatasetCall, next: DatasetCall): boolean {
  const [mine, theirs] = [call, next].map(({ argument_fingerprints }) =>
    Object.values(argument_fingerprints),
  );
  if (call.error_code !== 'HTTP_404' || !mine?.length || !theirs?.length) return false;
  const isComparable = call.fingerprint_key_id !== '' && call.fingerprint_key_id === next.fingerprint_key_id;
  return isComparable && !mine.some((value) => theirs.includes(value));
}

function pairsIn(
  walk: OrderInput,
  otherOf: (calls: readonly DatasetCall[], at: number) => string | undefined,
  lastOf: (calls: readonly DatasetCall[], at: number) => DatasetCall | undefined = () => undefined,
): ToolTransition[] {
  return orderedSessions(walk)
    .filter(({ isCut }) => !isCut)
    .flatMap(({ key, calls }) =>
      calls.flatMap((call, at) => {
        const other = otherOf(calls, at);
        if (other === undefined || other === '' || !matches(call, walk.filters ?? {})) return [];
        const last = lastOf(calls, at);
        return [{ call, other, session: key, hasFailed: last !== undefined && hasFailed(last) }];
      }),
    );
}

export interface ToolSequence {
  readonly server: string;
  readonly tools: readonly string[];
  readonly count: number;
  readonly sessions: number;
  readonly endedInFailure: object;
}

/** Two to four different tools in a row, in two sessions at least; a filter says with which calls it may begin. */
export function findSequences(walk: OrderInput): ToolSequence[] {
  const found = orderedSessions(walk).flatMap(({ key, calls }) =>
    calls.flatMap((_, at) =>
      [2, 3, 4].flatMap((length) => {
        const tools = calls.slice(at, at + length).map(({ tool_name }) => tool_name);
        const isSequence = tools.length === length && new Set(tools).size === length && !tools.includes('');
        return isSequence && matches(calls[at] as DatasetCall, walk.filters ?? {})
          ? [
              {
                key,
                server: calls[at]?.server_name ?? '',
                tools,
                last: calls[at + length - 1] as DatasetCall,
              },
            ]
          : [];
      }),
    ),
  );
  return [...groupBy(found, ({ server, tools }) => JSON.stringify([server, tools]))]
    .map(([, own]) => ({
      server: own[0]?.server ?? '',
      tools: own[0]?.tools ?? [],
      count: own.length,
      sessions: new Set(own.map(({ key }) => key)).size,
      endedInFailure: expectedProportion(own.filter(({ last }) => hasFailed(last)).length, own.length),
    }))
    .filter(({ sessions }) => sessions > 1);
}

/** Calls beyond the first of each run: the same tool and arguments within a minute of the one before, both answered. */
export function findDuplicateCalls(calls: readonly DatasetCall[]): {
  calls: number;
  sessions: number;
  sameResult: number;
} {
  const answered = calls.filter(
    (call) =>
      isCounted(call) &&
      call.outcome === 'ok' &&
      call.arguments_fingerprint !== '0' &&
      call.session_id !== '' &&
      call.session_source !== 'none',
  );
  const again = answered.flatMap((call) => {
    const earlier = answered
      .filter(
        (other) =>
          sessionKey(other) === sessionKey(call) &&
          other.tool_name === call.tool_name &&
          other.fingerprint_key_id === call.fingerprint_key_id &&
          other.arguments_fingerprint === call.arguments_fingerprint &&
          (other.startedUs < call.startedUs ||
            (other.startedUs === call.startedUs && other.span_id < call.span_id)),
      )
      .sort((a, b) => a.startedUs - b.startedUs || (a.span_id < b.span_id ? -1 : 1))
      .at(-1);
    const isAgain = earlier !== undefined && call.startedUs - earlier.startedUs <= 60_000_000;
    return isAgain ? [{ call, earlier }] : [];
  });
  return {
    calls: again.length,
    sessions: new Set(again.map(({ call }) => sessionKey(call))).size,
    sameResult: again.filter(
      ({ call, earlier }) =>
        call.result_fingerprint === earlier.result_fingerprint && call.result_fingerprint !== '0',
    ).length,
  };
}

/** A call of a tool that goes round, between the first and the last call of the loop. */
export function isInLoop(call: DatasetCall, loops: readonly LoopRecord[]): boolean {
  return loops.some(
    (loop) =>
      !loop.withdrawn &&
      loop.severity !== 'note' &&
      loop.server === call.server_name &&
      loop.sessionSource === call.session_source &&
      loop.sessionId === call.session_id &&
      loop.tools.includes(call.tool_name) &&
      call.startedUs >= loop.onsetUs &&
      call.startedUs <= loop.lastUs,
  );
}
