// The worker thread that observes traffic. Parsing, redaction and export run here, so that they never delay
// forwarding. Started only by `traffic-observer.ts`.

import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { readEnvironment } from '../wrapper/environment.ts';
import { readFingerprintKey } from '../wrapper/fingerprint-key.ts';
import { createCallReporter } from './call-reporter.ts';
import { createConnectionObserver } from './connection-observer.ts';
import { createMinorGcTrigger } from './minor-gc.ts';
import {
  type ForwardDecision,
  type ObserverWorkerData,
  SHARED_SLOTS,
  type TrafficPart,
  type WorkerReply,
  type WorkerRequest,
} from './worker-messages.ts';

/** Half the share of a normal priority. A lower one would starve the thread on a busy machine. */
const LOW_PRIORITY = 3;

// Only `createTrafficObserver` starts this worker.
const start = workerData as ObserverWorkerData;
const isGuardActive = start.guard !== undefined && start.guard.mode !== 'observe';
const sharedState = new Int32Array(start.shared);
const environment = readEnvironment(start.variables);
const { guard } = start;
const target = environment.resolveTarget(start.endpoint);
if (target.status === 'invalid') throw new Error(target.reason);

const reporter = createCallReporter({
  name: start.name,
  environment: start.environment ?? environment.environment,
  capture: start.capture ?? environment.capture ?? 'shape',
  url: target.url,
  headers: target.headers,
  tenantHeaders: target.tenantHeaders,
  onFailure: environment.reportFailure,
  spool: environment.spool,
  readKey: () => readFingerprintKey(environment),
  guard: guard && {
    options: guard,
    create: (await import('../wrapper/call-guard.ts')).createCallGuard,
  },
});
const connection = createConnectionObserver(reporter);
const countForGc = createMinorGcTrigger();
if (!isGuardActive) yieldToForwarding();

/**
 * Lowers this thread's priority. On Linux priorities are per thread: with few processors, forwarding and the
 * server go first.
 */
function yieldToForwarding(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, LOW_PRIORITY);
  } catch {
    // Not permitted here; all threads then have equal priority.
  }
}

function observePart(part: TrafficPart): void {
  const isLate = Atomics.load(sharedState, SHARED_SLOTS.isLate) === 1;
  const decisions = isLate ? connection.countOnly(part) : connection.take(part);
  queueDecisions(decisions);
  if (part.kind !== 'bytes') return;
  Atomics.add(sharedState, SHARED_SLOTS.observedBytes, part.bytes.length);
  countForGc(part.bytes.length);
}

/** Bytes covered by unsent decisions at which they are sent even though more input is waiting. */
const MAX_UNSENT_DECISION_BYTES = 256 * 1024;

let unsentDecisions: ForwardDecision[] = [];
let unsentDecisionBytes = 0;

/**
 * Queues decisions until all waiting input is read: a message to another thread costs as much as reading a
 * line.
 */
function queueDecisions(decisions: readonly ForwardDecision[]): void {
  if (decisions.length === 0) return;
  if (unsentDecisions.length === 0) setImmediate(sendDecisions);
  unsentDecisions.push(...decisions);
  for (const decision of decisions) if (decision.kind === 'bytes') unsentDecisionBytes += decision.length;
  if (unsentDecisionBytes >= MAX_UNSENT_DECISION_BYTES) sendDecisions();
}

function sendDecisions(): void {
  if (unsentDecisions.length === 0) return;
  postToForwarder({ kind: 'rulings', rulings: mergePasses(unsentDecisions) });
  unsentDecisions = [];
  unsentDecisionBytes = 0;
}

/** Merges consecutive decisions to pass. */
function mergePasses(rulings: readonly ForwardDecision[]): ForwardDecision[] {
  const merged: ForwardDecision[] = [];
  for (const ruling of rulings) {
    const last = merged.at(-1);
    if (last !== undefined && isPlainPass(last) && isPlainPass(ruling) && last.from === ruling.from)
      merged[merged.length - 1] = { ...last, length: last.length + ruling.length };
    else merged.push(ruling);
  }
  return merged;
}

function isPlainPass(
  ruling: ForwardDecision,
): ruling is Extract<ForwardDecision, { readonly kind: 'bytes' }> {
  return ruling.kind === 'bytes' && ruling.instead === undefined;
}

function postToForwarder(answer: WorkerReply): void {
  parentPort?.postMessage(answer);
}

async function close(timeoutMs: number): Promise<void> {
  for (const from of ['client', 'server'] as const) connection.take({ kind: 'end', from });
  sendDecisions();
  await reporter.close(timeoutMs);
  postToForwarder({ kind: 'closed', unreadLines: connection.unreadLines });
}

parentPort?.on('message', (order: WorkerRequest) => {
  if (order.kind === 'close') {
    void close(order.timeoutMs);
    return;
  }
  for (const part of order.parts) observePart(part);
  // With a guard the next request may already be waiting, and the reporter redacts what its decision depends
  // on.
  if (!isGuardActive) reporter.drain();
});
