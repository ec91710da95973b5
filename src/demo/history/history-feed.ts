// The simulated calls as spans, in the order in which they ended. The past is taken at once, the present as it comes.

import { createHash } from 'node:crypto';
import { toSpan } from '../../core/dialects/toolscope-span.ts';
import type { ObservedCall, SpanIds } from '../../core/observer/observed-call.ts';
import { createObserver } from '../../core/observer/observer.ts';
import { redactCallSteps } from '../../core/observer/redact-call.ts';
import { type EncodedSpan, encodeSpanJson } from '../../core/otlp/encode-json.ts';
import type { OtlpSpan } from '../../core/otlp/span.ts';
import { createResultFlow } from '../../core/result-flow/result-flow.ts';
import { createFingerprinter } from '../../core/values/fingerprint.ts';
import { runToCompletion } from '../../core/values/run-to-completion.ts';
import { planSessions } from './plan-sessions.ts';
import { playSession } from './play-session.ts';
import type { Story } from './story.ts';

const HOUR_MS = 3_600_000;

export interface SimulatedSpans {
  readonly spans: readonly EncodedSpan[];
  /** Of `tools/call`. */
  readonly calls: number;
}

interface EndedCall {
  readonly observed: ObservedCall<SpanIds>;
  readonly endMs: number;
  readonly dependencies: readonly OtlpSpan[];
}

/** Keeps what has begun and not ended yet. The same story and seed give the same calls, with the same ids. */
export class HistoryFeed {
  readonly #story: Story;
  readonly #seed: string;
  readonly #redaction;
  readonly #memory = { flow: createResultFlow(1), isOutlined: false };
  readonly #dependencies = new Map<string, OtlpSpan[]>();
  readonly #observer = createObserver<SpanIds>({ onEnded: (observed) => this.#add(observed) });
  #ended: EndedCall[] = [];
  #nextHourMs: number;

  constructor(story: Story, seed: string) {
    this.#story = story;
    this.#seed = seed;
    this.#nextHourMs = Math.ceil(story.startMs / HOUR_MS) * HOUR_MS;
    const fingerprinter = createFingerprinter(createHash('sha256').update(seed).digest());
    this.#redaction = { capture: 'shape', fingerprinter } as const;
  }

  /** @returns the spans of the calls that ended until then and were not taken before */
  take(untilMs: number): SimulatedSpans {
    for (; this.#nextHourMs <= untilMs; this.#nextHourMs += HOUR_MS) this.#playHour(this.#nextHourMs);
    const taken = this.#ended.filter(({ endMs }) => endMs <= untilMs).sort((a, b) => a.endMs - b.endMs);
    this.#ended = this.#ended.filter(({ endMs }) => endMs > untilMs);
    return {
      spans: taken.flatMap((call) => this.#encode(call)),
      calls: taken.filter(({ observed }) => observed.open.method === 'tools/call').length,
    };
  }

  #playHour(hourMs: number): void {
    const options = {
      observer: this.#observer,
      story: this.#story,
      onDependency: (span: OtlpSpan) => this.#addDependency(span),
    };
    for (const session of planSessions(this.#story, hourMs, this.#seed)) playSession(session, options);
  }

  #addDependency(span: OtlpSpan): void {
    if (span.startUs < this.#story.dependenciesFromMs * 1_000) return;
    const known = this.#dependencies.get(span.parentSpanId) ?? [];
    this.#dependencies.set(span.parentSpanId, [...known, span]);
  }

  #add(observed: ObservedCall<SpanIds>): void {
    const { ids, startedAt } = observed.open;
    const dependencies = this.#dependencies.get(ids.spanId) ?? [];
    this.#dependencies.delete(ids.spanId);
    this.#ended.push({ observed, dependencies, endMs: (startedAt.wallUs + observed.durationUs) / 1_000 });
  }

  #encode({ observed, endMs, dependencies }: EndedCall): EncodedSpan[] {
    const memory = endMs < this.#story.flowFromMs ? undefined : this.#memory;
    const redacted = runToCompletion(redactCallSteps(observed, this.#redaction, memory));
    return [encodeSpanJson(toSpan(redacted)), ...dependencies.map(encodeSpanJson)];
  }
}
