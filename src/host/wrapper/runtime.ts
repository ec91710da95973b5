// What all observed servers of a process share: one observer, one queue of calls to reduce, one delivery an endpoint.
// Made with the first observed server and gone with the process; all it leaves outside of the objects it was given are
// listeners for `beforeExit` and `exit`.

import { heapBytesOf, letGo } from '../../core/observer/let-go.ts';
import type { Instant, ObservedCall } from '../../core/observer/observed-call.ts';
import { createObserver } from '../../core/observer/observer.ts';
import { type Reduced, reduceCallSteps } from '../../core/observer/reduce-call.ts';
import { readParty } from '../../core/observer/request-facts.ts';
import { ATTR_PROCESS_ID } from '../../core/semconv/toolscope-attributes.ts';
import { createFingerprinter, type Fingerprinter } from '../../core/values/fingerprint.ts';
import type { HostIds } from './active-call.ts';
import { now } from './clock.ts';
import { enrichTools } from './enrich-tools.ts';
import type { Environment } from './environment.ts';
import { readFingerprintKey } from './fingerprint-key.ts';
import { hookServer, lowLevelOf, markObserved } from './hook-server.ts';
import type { HostSpan } from './host-tracing.ts';
import { createLateGuard } from './late-guard.ts';
import { neverThrow } from './never-throw.ts';
import type { ObserveOptions } from './options.ts';
import { createOutlets } from './outlets.ts';
import { createReductionQueue } from './reduction-queue.ts';
import type { Route } from './route.ts';
import type { LowLevelServer, ObservableServer } from './sdk-shapes.ts';
import { createServerStarts } from './server-start.ts';
import { type ToolRegistry, watchToolRegistry } from './tool-registry.ts';
import { transportKindOf } from './transport-kind.ts';
import { createTransportListener } from './transport-listener.ts';

/** Work (ms) on calls that wait at the end of a process; mostly there are none, or a few. */
const LAST_REDUCTIONS_MS = 50;

/** How long (ms) a process may live on so that its last calls arrive, only where they cannot be kept on disk. */
const LAST_MOMENTS_MS = 150;

export interface Runtime {
  observe(server: ObservableServer, options: ObserveOptions): void;
  /** Works out and sends what waits; resolves when it is sent or the time is up. Never rejects. */
  flush(): Promise<void>;
  /** Flushes once more and lets go; later calls are not delivered. Never rejects. */
  shutdown(): Promise<void>;
}

interface Announcement {
  readonly registry: ToolRegistry | undefined;
  readonly at: Instant;
}

/** Creates what a process needs to observe servers. */
export function createRuntime(environment: Environment): Runtime {
  const outlets = createOutlets(environment);
  const starts = createServerStarts();
  const reduce = createReduction(environment);
  const guards = createLateGuard<HostIds>(reduce, { onProblem: environment.reportProblem });
  const deliver = createDeliverer((observed) => guards.current()?.stepsOf(observed) ?? reduce(observed));
  const queue = createReductionQueue({ steps: deliver, dropped: lose, weigh: heapBytesOf, lighten: letGo });
  const observer = createObserver<HostIds>({
    ended(observed) {
      neverThrow(() => guards.current()?.ended(observed));
      queue.push(observed);
    },
  });

  function announce(server: LowLevelServer, route: Route, { registry, at }: Announcement): void {
    const { outlet, environment: name } = route;
    if (outlet === undefined) return;
    const party = introducedAs(server, route);
    function deliverStart(
      ...[start, sighting]: Parameters<Parameters<typeof starts.connected>[0]['announce']>
    ) {
      if (sighting !== undefined) observer.learn(party, sighting);
      outlet?.deliver(start);
    }
    starts.connected({ server: party, environment: name, registry, announce: deliverStart }, at);
  }

  function routeFor(options: ObserveOptions, transport: object): Route {
    const isCounted = environment.wrapped && transportKindOf(transport) === 'stdio';
    return {
      outlet: isCounted ? undefined : outlets.of(options.endpoint),
      capture: options.capture ?? environment.capture ?? 'shape',
      environment: options.environment ?? environment.environment,
      serverName: options.name ?? '',
      tracerProvider: options.tracerProvider,
      beforeSend: options.beforeSend,
    };
  }

  /** @returns whether all calls are on disk, or acknowledged */
  function keepAll(isLast: boolean): boolean {
    observer.closeAll(now());
    queue.finish(LAST_REDUCTIONS_MS, isLast);
    return outlets.spill();
  }

  function hurry(): void {
    queue.drain(LAST_REDUCTIONS_MS);
    outlets.hurry();
  }

  process.once('beforeExit', () => {
    if (!neverThrow(() => keepAll(false))) outlets.flush({ timeoutMs: LAST_MOMENTS_MS }).catch(() => {});
  });
  // Also where the host calls `process.exit`.
  process.once('exit', () => void neverThrow(() => keepAll(true)));

  return {
    observe(server, options) {
      const lowLevel = lowLevelOf(server);
      const isFirst = markObserved(lowLevel);
      const isHighLevel = server !== lowLevel && markObserved(server);
      if (isHighLevel) enrichTools(server);
      if (!isFirst) return;
      const guard = options.guard && { options: options.guard, ...guards.load() };
      const registry = isHighLevel ? watchToolRegistry(server, lowLevel) : undefined;
      hookServer(lowLevel, (transport) => {
        const route = routeFor(options, transport);
        // A pipe that closed may be the end of the process; HTTP connections come and go.
        const closed = transportKindOf(transport) === 'stdio' ? hurry : () => {};
        const server = introducedAs(lowLevel, route);
        return createTransportListener(transport, {
          observer,
          route,
          host: options,
          server,
          clientOf: () => clientOf(lowLevel),
          closed,
          announce: (at) => announce(lowLevel, route, { registry, at }),
          guard,
        });
      });
    },
    async flush() {
      queue.drain();
      await outlets.flush();
    },
    async shutdown() {
      queue.drain();
      await outlets.shutdown();
    },
  };
}

type Reduce = (observed: ObservedCall<HostIds>) => Generator<undefined, Reduced>;

/** Creates the reduction of observed calls; the key is read with the first one. */
function createReduction(environment: Environment): Reduce {
  let fingerprinter: Fingerprinter | undefined;
  return function* reduce(observed) {
    fingerprinter ??= createFingerprinter(readFingerprintKey(environment));
    return yield* reduceCallSteps(observed, { capture: observed.open.ids.route.capture, fingerprinter });
  };
}

/** Creates what sees a reduced call off: by the host's span, then by our own delivery. */
function createDeliverer(reduce: Reduce) {
  return function* deliver(observed: ObservedCall<HostIds>): Generator<undefined, void> {
    const { route, span } = observed.open.ids;
    let outgoing: Reduced | undefined;
    let isReduced = false;
    try {
      const reduced = yield* reduce(observed);
      isReduced = true;
      outgoing = passBeforeSend(nameProcess(reduced, span), route);
    } finally {
      if (!isReduced) route.outlet?.lose();
      // A span processor of the host's may throw; our own delivery does not depend on it.
      neverThrow(() => (outgoing ? span?.end(outgoing) : span?.abandon(endOf(observed))));
    }
    if (outgoing !== undefined) route.outlet?.deliver(outgoing);
  };
}

/** So that a report of the same call by another instrumentation of this process is known for one. */
function nameProcess(reduced: Reduced, span: HostSpan | undefined): Reduced {
  const processId = neverThrow(() => span?.processId()) ?? '';
  if (processId === '') return reduced;
  const { call } = reduced;
  return { ...reduced, call: { ...call, attributes: { ...call.attributes, [ATTR_PROCESS_ID]: processId } } };
}

function endOf({ open, durationUs }: ObservedCall<HostIds>): number {
  return open.startedAt.wallUs + durationUs;
}

function lose(observed: ObservedCall<HostIds>): void {
  const { span, route } = observed.open.ids;
  route.outlet?.lose();
  span?.abandon(endOf(observed));
}

/** The last word is the host's; if it throws, so does this, and nothing leaves. */
function passBeforeSend(reduced: Reduced, { beforeSend }: Route): Reduced | undefined {
  if (beforeSend === undefined) return reduced;
  const { listing, ...outgoing } = reduced;
  const passed = beforeSend(outgoing);
  return passed && { ...passed, ...(listing && { listing }) };
}

/** The name the host gave it, or else its own. */
function introducedAs(server: LowLevelServer, { serverName }: Route) {
  const own = readParty(Reflect.get(server, '_serverInfo')) ?? { name: '', version: '' };
  return serverName === '' ? own : { ...own, name: serverName };
}

function clientOf(server: LowLevelServer & { readonly getClientVersion?: () => unknown }): unknown {
  return server.getClientVersion?.();
}
