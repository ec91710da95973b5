// The thread that reads along: what it takes to parse, reduce and deliver calls holds up no byte of theirs. Started by
// `thread-observer.ts` and by nobody else.

import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { readEnvironment } from '../wrapper/environment.ts';
import { readFingerprintKey } from '../wrapper/fingerprint-key.ts';
import { createCallReporter } from './call-reporter.ts';
import { createYoungCollector } from './collect-young.ts';
import { observeConnection } from './observe-connection.ts';
import {
  type Answer,
  type ObserverStart,
  type Order,
  type Part,
  type Ruling,
  SHARED,
} from './thread-messages.ts';

/** Half the share of others; with less it would starve on a machine that is always busy. */
const LESSER_PRIORITY = 3;

// Only `createThreadObserver` starts this.
const start = workerData as ObserverStart;
const acts = start.guard !== undefined && start.guard.mode !== 'observe';
const shared = new Int32Array(start.shared);
const environment = readEnvironment(start.variables);
const { guard } = start;
const target = environment.targetOf(start.endpoint);
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
const connection = observeConnection(reporter);
const collectYoung = createYoungCollector();
if (!acts) yieldToForwarding();

/** On Linux a priority is a thread's own: where processors are few, those who forward and those who answer come first. */
function yieldToForwarding(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, LESSER_PRIORITY);
  } catch {
    // Not allowed here; then all are equal.
  }
}

function take(part: Part): void {
  const isLate = Atomics.load(shared, SHARED.isLate) === 1;
  const rulings = isLate ? connection.count(part) : connection.take(part);
  rule(rulings);
  if (part.kind !== 'bytes') return;
  Atomics.add(shared, SHARED.observedBytes, part.bytes.length);
  collectYoung(part.bytes.length);
}

/** Bytes ruled about, after which whoever forwards hears of it though more is waiting to be read. */
const RULED_BYTES = 256 * 1024;

let ruled: Ruling[] = [];
let ruledBytes = 0;

/** Says it once all that waits has been read: to say a thing to another thread costs as much as to read a line. */
function rule(rulings: readonly Ruling[]): void {
  if (rulings.length === 0) return;
  if (ruled.length === 0) setImmediate(sendRulings);
  ruled.push(...rulings);
  for (const ruling of rulings) if (ruling.kind === 'bytes') ruledBytes += ruling.length;
  if (ruledBytes >= RULED_BYTES) sendRulings();
}

function sendRulings(): void {
  if (ruled.length === 0) return;
  send({ kind: 'rulings', rulings: merge(ruled) });
  ruled = [];
  ruledBytes = 0;
}

/** What passes one after the other passes at once. */
function merge(rulings: readonly Ruling[]): Ruling[] {
  const merged: Ruling[] = [];
  for (const ruling of rulings) {
    const last = merged.at(-1);
    if (last !== undefined && passes(last) && passes(ruling) && last.from === ruling.from)
      merged[merged.length - 1] = { ...last, length: last.length + ruling.length };
    else merged.push(ruling);
  }
  return merged;
}

function passes(ruling: Ruling): ruling is Extract<Ruling, { readonly kind: 'bytes' }> {
  return ruling.kind === 'bytes' && ruling.instead === undefined;
}

function send(answer: Answer): void {
  parentPort?.postMessage(answer);
}

async function close(timeoutMs: number): Promise<void> {
  for (const from of ['client', 'server'] as const) connection.take({ kind: 'end', from });
  sendRulings();
  await reporter.close(timeoutMs);
  send({ kind: 'closed', unreadLines: connection.unreadLines });
}

parentPort?.on('message', (order: Order) => {
  if (order.kind === 'close') {
    void close(order.timeoutMs);
    return;
  }
  for (const part of order.parts) take(part);
  // With a guard the next request may wait already; what it has to know is worked out when it comes.
  if (!acts) reporter.catchUp();
});
