// What a proxy does with the calls it observes: redacts and exports them exactly as `observe()` does.

import type { ServerStart } from '../../core/dialects/toolscope-span.ts';
import type { CaptureMode } from '../../core/model/tool-call.ts';
import type { Instant, ObservedCall, OpenCall } from '../../core/observer/observed-call.ts';
import { createObserver, type Observer } from '../../core/observer/observer.ts';
import { type RedactedCall, redactCallSteps } from '../../core/observer/redact-call.ts';
import { heapBytesOf, releaseValues } from '../../core/observer/release-values.ts';
import { createFingerprinter, type Fingerprinter } from '../../core/values/fingerprint.ts';
import { CallExporter, type SpoolLocation } from '../exporter/call-exporter.ts';
import { now } from '../wrapper/clock.ts';
import { createLazyResultFlow } from '../wrapper/lazy-result-flow.ts';
import { createRedactionQueue } from '../wrapper/redaction-queue.ts';
import { createServerStartReporter } from '../wrapper/server-start-reporter.ts';
import { LazyParams } from './lazy-params.ts';
import { createOpenParamsBudget } from './open-params-budget.ts';
import { isOutlined, withoutPlaceholders } from './outlined-message.ts';

const EXPIRY_CHECK_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface CallPipelineOptions {
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
}

export type RedactCall = (observed: ObservedCall) => Generator<undefined, RedactedCall>;

export interface CallHooks {
  /** Whether a call ended unseen: it is then counted as lost. */
  readonly isLost: (observed: ObservedCall) => boolean;
  readonly onEnded?: (observed: ObservedCall) => void;
  /** Redacts a call in place of the pipeline. */
  readonly redact?: RedactCall;
}

export interface CallPipeline {
  readonly observer: Observer<OpenCall['ids']>;
  /** Counts calls whose messages were not observed. */
  countLost(calls?: number): void;
  /** Redacts all pending calls now. */
  drain(): void;
  /** Ends open calls; pending calls are spooled or, if that is impossible, sent within `timeoutMs`. Never rejects. */
  close(timeoutMs: number): Promise<void>;
}

export function createCallPipeline(options: CallPipelineOptions, hooks: CallHooks): CallPipeline {
  const { environment, url, headers, tenantHeaders, onFailure, spool } = options;
  const exporter = new CallExporter({ endpoint: url, headers, tenantHeaders, onFailure, spool });
  const redact = hooks.redact ?? createRedaction(options);
  function* steps(observed: ObservedCall): Generator<undefined, void> {
    exporter.export(yield* redact(observed));
  }
  const queue = createRedactionQueue<ObservedCall>({
    steps,
    onDropped: () => exporter.countLost(),
    measure: estimateHeapBytes,
    shrink: shrinkCall,
  });
  const announce = createAnnouncement(environment, (start) => exporter.export(start));
  const paramsBudget = createOpenParamsBudget();
  const observer = createObserver({
    onOpened: paramsBudget.onOpened,
    onEnded(observed) {
      paramsBudget.onEnded(observed.open);
      if (hooks.isLost(observed)) {
        exporter.countLost();
        return;
      }
      announce(observed);
      hooks.onEnded?.(observed);
      queue.push(observed);
    },
  });
  const expiry = setInterval(() => observer.expire(now()), EXPIRY_CHECK_MS).unref();
  return {
    observer,
    countLost: (calls) => exporter.countLost(calls),
    drain: () => queue.drain(),
    async close(timeoutMs) {
      clearInterval(expiry);
      observer.closeAll(now());
      queue.drain();
      if (!exporter.spillToDisk()) await exporter.flush({ timeoutMs });
    },
  };
}

/** Reports a server start once it has identified itself, and then hourly; its catalogue follows with its first listing. */
function createAnnouncement(environment: string, report: (start: ServerStart) => void) {
  const serverStarts = createServerStartReporter();
  let announcedAtMs = Number.NEGATIVE_INFINITY;
  return function announce({ server, open: { side, startedAt }, ending }: ObservedCall): void {
    const isInitialized = side === 'server' && ending.kind === 'result' && server.name !== '';
    if (!isInitialized || startedAt.monotonicMs - announcedAtMs < HOUR_MS) return;
    announcedAtMs = startedAt.monotonicMs;
    const at: Instant = startedAt;
    serverStarts.onConnected({ server, environment, registry: undefined, report }, at);
  };
}

export function createRedaction({
  readKey,
  capture,
}: Pick<CallPipelineOptions, 'readKey' | 'capture'>): RedactCall {
  let fingerprinter: Fingerprinter | undefined;
  const getFlow = createLazyResultFlow();
  return function* redact(observed) {
    fingerprinter ??= createFingerprinter(readKey());
    const memory = { flow: getFlow(), isOutlined: isOutlined(observed) };
    const described = yield* redactCallSteps(observed, { capture, fingerprinter }, memory);
    return withoutPlaceholders(observed, described);
  };
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
