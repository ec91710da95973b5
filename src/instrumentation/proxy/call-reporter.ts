// Turns the messages that the proxy observes into calls, which are redacted and exported exactly as with
// `observe()`.

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
import { CallExporter, type SpoolLocation } from '../exporter/call-exporter.ts';
import type { createCallGuard } from '../wrapper/call-guard.ts';
import type { SettledAnswer } from '../wrapper/call-replays.ts';
import { now } from '../wrapper/clock.ts';
import { isGuarded } from '../wrapper/guard-messages.ts';
import { createLazyResultFlow } from '../wrapper/lazy-result-flow.ts';
import { createRedactionQueue } from '../wrapper/redaction-queue.ts';
import { createServerStartReporter } from '../wrapper/server-start-reporter.ts';
import { createSpanIds } from '../wrapper/span-ids.ts';
import { LazyParams } from './lazy-params.ts';
import { createOpenParamsBudget } from './open-params-budget.ts';
import { isOutlined, withoutPlaceholders } from './outlined-message.ts';
import type { TrafficSource } from './traffic-part.ts';

const EXPIRY_CHECK_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface CallReporterOptions {
  /** Overrides the server's name; '' keeps the server's own. */
  readonly name: string;
  readonly environment: string;
  readonly capture: CaptureMode;
  /** Full URL and headers; see `resolveTarget`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tenantHeaders: Readonly<Record<string, string>>;
  readonly onFailure: (reason: string) => void;
  /** Where unacknowledged calls are spooled. */
  readonly spool: SpoolLocation | undefined;
  /** Called once, when the first call is redacted, because reading the key may access the disk. */
  readonly readKey: () => Uint8Array;
  /** Present only when the guard is enabled; loaded separately because most users do not enable it. */
  readonly guard?: { readonly options: GuardOptions; readonly create: typeof createCallGuard } | undefined;
}

export interface CallReporter {
  /**
   * @param settle takes the guard's decision about a message that is `waiting`: a response, or `run`
   * @returns the guard's response to a call that it stops, to be sent instead of forwarding the message
   */
  onClientMessage(
    message: unknown,
    at: Instant,
    settle: (answer: SettledAnswer) => void,
  ): object | 'waiting' | undefined;
  onServerMessage(message: unknown, at: Instant): void;
  /** Reports a message from the client that was forwarded before the guard could decide. */
  onPassedClientMessage(message: unknown, at: Instant): void;
  /**
   * Counts calls whose messages were not observed as lost.
   * @param calls number of calls that started in these messages; if unknown, they are counted by their
   * responses
   */
  countMissed(from: TrafficSource, at: Instant, calls?: number): void;
  /** Redacts all pending calls now. */
  drain(): void;
  /** Whether a response is outstanding to which the guard may append a message. */
  awaitsNudge(): boolean;
  /** Returns the block to append to the content of a server's response; call it before `onServerMessage`. */
  createNudge(message: unknown): object | undefined;
  /**
   * Ends open calls; pending calls are spooled or, if that is impossible, sent within `timeoutMs`. Never
   * rejects.
   */
  close(timeoutMs: number): Promise<void>;
}

export function createCallReporter(options: CallReporterOptions): CallReporter {
  const { environment, name, url, headers, tenantHeaders, onFailure, spool } = options;
  const exporter = new CallExporter({ endpoint: url, headers, tenantHeaders, onFailure, spool });
  const redact = createRedaction(options);
  const guard = options.guard?.create(redact);
  function* steps(observed: ObservedCall): Generator<undefined, void> {
    const redacted = yield* guard?.getRedactionSteps(observed) ?? redact(observed);
    exporter.export(redacted);
  }
  const queue = createRedactionQueue<ObservedCall>({
    steps,
    onDropped: () => exporter.countLost(),
    measure: estimateHeapBytes,
    shrink: shrinkCall,
  });
  const serverStarts = createServerStartReporter();
  const nudged = new Set<OpenCall>();
  let announcedAtMs = Number.NEGATIVE_INFINITY;
  /** Reports a server start once it has identified itself; its catalogue follows with its first listing. */
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
        exporter.countLost();
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
    onClientMessage(message, at, settle) {
      const call = connection.received(message, at);
      if (call === undefined || options.guard === undefined) return undefined;
      const catalogue = () => connection.catalogue();
      const scope = { options: options.guard.options, serverName: name, catalogue };
      const recordDecision = <Answer extends SettledAnswer | 'waiting' | undefined>(
        answer: Answer,
      ): Answer => {
        if (typeof answer === 'object') connection.sent(answer, now());
        if (guard?.isNudged(call)) nudged.add(call);
        return answer;
      };
      return recordDecision(guard?.answerInstead(call, scope, (late) => settle(recordDecision(late))));
    },
    onServerMessage(message, at) {
      if (missedRequests && isResponse(message) && connection.find(message.id) === undefined)
        exporter.countLost();
      connection.sent(message, at);
    },
    onPassedClientMessage: (message, at) => void connection.received(message, at),
    countMissed(from, at, calls) {
      exporter.countLost(calls ?? 0);
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

type RedactCall = (observed: ObservedCall) => Generator<undefined, RedactedCall>;

function createRedaction({ readKey, capture, guard }: CallReporterOptions): RedactCall {
  let fingerprinter: Fingerprinter | undefined;
  const getFlow = createLazyResultFlow();
  return function* redact(observed) {
    fingerprinter ??= createFingerprinter(readKey());
    const memory = { flow: getFlow(), isOutlined: isOutlined(observed) };
    const described = yield* redactCallSteps(observed, { capture, fingerprinter }, memory);
    const redacted = withoutPlaceholders(observed, described);
    return canGuardEvaluate(observed, guard?.options) ? redacted : markNotEvaluated(redacted);
  };
}

/** Whether the loop guard can tell if this call repeats another one; true when there is no such guard. */
function canGuardEvaluate(observed: ObservedCall, guard: GuardOptions | undefined): boolean {
  const isAsked = guard !== undefined && guard.loops !== 'off' && isGuarded(observed.open);
  return !isAsked || !isOutlined(observed);
}

/** Adds the note that the guard could not tell whether the call repeats another one. */
function markNotEvaluated(reduced: RedactedCall): RedactedCall {
  const attributes = { ...reduced.call.attributes, [ATTR_GUARD_NOT_JUDGED]: 'too_large' };
  return { ...reduced, call: { ...reduced.call, attributes } };
}

/** Counts unparsed arguments as if they were parsed, because redaction parses them. */
function estimateHeapBytes(observed: ObservedCall): number {
  const { params } = observed.open;
  return heapBytesOf(observed) + (params instanceof LazyParams ? params.heapBytes : 0);
}

function shrinkCall(observed: ObservedCall): void {
  const { params } = observed.open;
  if (params instanceof LazyParams) params.release();
  releaseValues(observed);
}
