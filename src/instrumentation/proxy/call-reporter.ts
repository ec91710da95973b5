// What the proxy makes of the messages it reads along: calls, reduced and delivered exactly as `observe()` would.

import { randomUUID } from 'node:crypto';
import type { ServerStart } from '../../core/dialects/toolscope-span.ts';
import type { GuardOptions } from '../../core/guard/guard-policy.ts';
import type { CaptureMode } from '../../core/model/tool-call.ts';
import { isResponse } from '../../core/observer/json-rpc.ts';
import type { Instant, ObservedCall, OpenCall } from '../../core/observer/observed-call.ts';
import { createObserver } from '../../core/observer/observer.ts';
import { type RedactedCall, redactCallSteps } from '../../core/observer/redact-call.ts';
import { heapBytesOf, releaseValues } from '../../core/observer/release-values.ts';
import { ATTR_GUARD_NOT_JUDGED } from '../../core/semconv/toolscope-attributes.ts';
import { createFingerprinter, type Fingerprinter } from '../../core/values/fingerprint.ts';
import { createCallExporter, type SpoolLocation } from '../exporter/call-exporter.ts';
import type { createCallGuard } from '../wrapper/call-guard.ts';
import { now } from '../wrapper/clock.ts';
import { isGuarded } from '../wrapper/guard-messages.ts';
import { createRedactionQueue } from '../wrapper/redaction-queue.ts';
import { createServerStartReporter } from '../wrapper/server-start-reporter.ts';
import { createSpanIds } from '../wrapper/span-ids.ts';
import { LazyParams } from './lazy-params.ts';
import { createOpenParamsBudget } from './open-params-budget.ts';
import { isOutlined, withoutPlaceholders } from './outlined-message.ts';
import type { TrafficSource } from './worker-messages.ts';

const EXPIRY_CHECK_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface CallReporterOptions {
  /** What the server shall be called; '' leaves it to the server. */
  readonly name: string;
  readonly environment: string;
  readonly capture: CaptureMode;
  /** Full URL and headers; see `resolveTarget`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tenantHeaders: Readonly<Record<string, string>>;
  readonly onFailure: (reason: string) => void;
  /** Where calls are kept that are not acknowledged. */
  readonly spool: SpoolLocation | undefined;
  /** Asked once, when the first call is worked out: reading a key may touch the disk. */
  readonly readKey: () => Uint8Array;
  /** Only where a guard was asked for; loaded apart, because few ask. */
  readonly guard?: { readonly options: GuardOptions; readonly create: typeof createCallGuard } | undefined;
}

export interface CallReporter {
  /** @returns the answer to give instead of passing the message on: the guard's, to a call it stops */
  onClientMessage(message: unknown, at: Instant): object | undefined;
  onServerMessage(message: unknown, at: Instant): void;
  /** A message of the client's that went on before anybody could be asked. */
  onPassedClientMessage(message: unknown, at: Instant): void;
  /**
   * Messages of one direction were not seen: calls they belong to are counted as lost, as nobody knows how they ended.
   * @param calls that began in them, where that is known; otherwise they are counted by their answers
   */
  countMissed(from: TrafficSource, at: Instant, calls?: number): void;
  /** Works out what waits, now. */
  drain(): void;
  /** Whether the server owes an answer that the guard has a word for. */
  awaitsNudge(): boolean;
  /** The block to append to the content of a response of the server's; asked before `onServerMessage` gets it. */
  createNudge(message: unknown): object | undefined;
  /** The pipe is closed: open calls end, and what waits is kept on disk or, where that cannot be, sent within `timeoutMs`. Never rejects. */
  close(timeoutMs: number): Promise<void>;
}

/** Creates the reporter of one stdio connection. */
export function createCallReporter(options: CallReporterOptions): CallReporter {
  const { capture, environment, name, url, headers, tenantHeaders, onFailure, spool } = options;
  const exporter = createCallExporter({ endpoint: url, headers, tenantHeaders, onFailure, spool });
  let fingerprinter: Fingerprinter | undefined;
  let lost = 0;
  function* redact(observed: ObservedCall): Generator<undefined, RedactedCall> {
    fingerprinter ??= createFingerprinter(options.readKey());
    const described = yield* redactCallSteps(observed, { capture, fingerprinter });
    const redacted = withoutPlaceholders(observed, described);
    return canGuardEvaluate(observed, options.guard?.options) ? redacted : markNotEvaluated(redacted);
  }
  const guard = options.guard?.create(redact);
  const onDropped = (): void => {
    lost += 1;
  };
  function* steps(observed: ObservedCall): Generator<undefined, void> {
    const redacted = yield* guard?.getRedactionSteps(observed) ?? redact(observed);
    exporter.export({ ...redacted, droppedCalls: lost });
    lost = 0;
  }
  const sizing = { measure: estimateHeapBytes, shrink: shrinkCall };
  const queue = createRedactionQueue<ObservedCall>({ steps, onDropped, ...sizing });
  const serverStarts = createServerStartReporter();
  const nudged = new Set<OpenCall>();
  let announcedAtMs = Number.NEGATIVE_INFINITY;
  /** A server started once it said who it is; its catalogue comes with its first listing. */
  function announce({ server, open: { side, startedAt }, ending }: ObservedCall): void {
    const isInitialized = side === 'server' && ending.kind === 'result' && server.name !== '';
    if (!isInitialized || startedAt.monotonicMs - announcedAtMs < HOUR_MS) return;
    announcedAtMs = startedAt.monotonicMs;
    const exportStart = (start: ServerStart) => exporter.export(start);
    serverStarts.onConnected({ server, environment, registry: undefined, report: exportStart }, startedAt);
  }
  let missedRequests = false;
  let missedAnswersAtMs = Number.NEGATIVE_INFINITY;
  function isLost({ open, ending }: ObservedCall): boolean {
    const isUnanswered = ending.kind === 'closed' || ending.kind === 'expired';
    return isUnanswered && open.startedAt.monotonicMs <= missedAnswersAtMs;
  }
  const paramsBudget = createOpenParamsBudget();
  const observer = createObserver({
    onOpened: paramsBudget.onOpened,
    onEnded(observed) {
      paramsBudget.onEnded(observed.open);
      if (isLost(observed)) {
        lost += 1;
        return;
      }
      announce(observed);
      nudged.delete(observed.open);
      guard?.recordEnded(observed);
      queue.push(observed);
    },
  });
  const connection = observer.connect({
    identify: createSpanIds,
    transport: 'stdio',
    connectionId: randomUUID(),
    environment,
    server: { name: '', version: '' },
    serverName: name,
  });
  const expiry = setInterval(() => observer.expire(now()), EXPIRY_CHECK_MS).unref();
  return {
    onClientMessage(message, at) {
      const call = connection.received(message, at);
      if (call === undefined || options.guard === undefined) return undefined;
      const catalogue = () => connection.catalogue();
      const scope = { options: options.guard.options, serverName: name, catalogue };
      const answer = guard?.answerInstead(call, scope);
      if (answer !== undefined) connection.sent(answer, now());
      if (guard?.isNudged(call)) nudged.add(call);
      return answer;
    },
    onServerMessage(message, at) {
      if (missedRequests && isResponse(message) && connection.find(message.id) === undefined) lost += 1;
      connection.sent(message, at);
    },
    onPassedClientMessage: (message, at) => void connection.received(message, at),
    countMissed(from, at, calls) {
      lost += calls ?? 0;
      if (from === 'client') missedRequests ||= calls === undefined;
      else missedAnswersAtMs = at.monotonicMs;
    },
    drain: () => queue.drain(),
    awaitsNudge: () => nudged.size > 0,
    createNudge(message) {
      const call = isResponse(message) ? connection.find(message.id) : undefined;
      return call && isResponse(message) ? guard?.createNudge(call, message) : undefined;
    },
    async close(timeoutMs) {
      clearInterval(expiry);
      connection.closed(now());
      queue.drain();
      if (!exporter.spillToDisk()) await exporter.flush({ timeoutMs });
    },
  };
}

/** Whether a guard that looks for loops could tell whether a call repeats another; also where there is none. */
function canGuardEvaluate(observed: ObservedCall, guard: GuardOptions | undefined): boolean {
  const isAsked = guard !== undefined && guard.loops !== 'off' && isGuarded(observed.open);
  return !isAsked || !isOutlined(observed);
}

/** The call with a note that the guard could not tell whether it repeats another. */
function markNotEvaluated(reduced: RedactedCall): RedactedCall {
  const attributes = { ...reduced.call.attributes, [ATTR_GUARD_NOT_JUDGED]: 'too_large' };
  return { ...reduced, call: { ...reduced.call, attributes } };
}

/** Arguments that are not parsed yet count as if they were: that is what makes work of them. */
function estimateHeapBytes(observed: ObservedCall): number {
  const { params } = observed.open;
  return heapBytesOf(observed) + (params instanceof LazyParams ? params.heapBytes : 0);
}

function shrinkCall(observed: ObservedCall): void {
  const { params } = observed.open;
  if (params instanceof LazyParams) params.release();
  releaseValues(observed);
}
