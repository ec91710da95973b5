// What the loop detector costs: microseconds a call over many sessions at once, and the memory of a session whose
// window is full. Calls are parsed from JSON one by one, as the follower gets them, so that no two share a string.

import { createFingerprinter } from '../../src/core/values/fingerprint.ts';
import { createDetector, type Detector, type LoopCall } from '../../src/loops.ts';

export interface LoopsBenchOptions {
  readonly sessions: number;
  readonly callsPerSession: number;
}

export interface LoopsBenchResult {
  /** CPU time, which a busy machine does not change; garbage collection is in it. */
  readonly meanCpuUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Heap of one session; 0 without `--expose-gc`. */
  readonly bytesPerSession: number;
  /** Sessions judged a loop: every other one is made to be one. */
  readonly flagged: number;
}

const { fingerprint } = createFingerprinter(Buffer.alloc(32, 1));

/** Feeds all sessions in turns, a call each, as they would arrive. */
export function benchLoops({ sessions, callsPerSession }: LoopsBenchOptions): LoopsBenchResult {
  const texts = Array.from({ length: sessions }, (_, session) =>
    Array.from({ length: callsPerSession }, (__, index) => JSON.stringify(callOf(session, index))),
  );
  warmUp();
  const before = heapUsed();
  const detectors: Detector[] = Array.from({ length: sessions }, () => createDetector());
  const times: number[] = [];
  let cpuUs = 0;
  for (let index = 0; index < callsPerSession; index++) {
    // What was made above.
    const calls = texts.map((session) => JSON.parse(session[index] ?? '') as LoopCall);
    const before = process.cpuUsage();
    calls.forEach((call, session) => {
      const started = performance.now();
      detectors[session]?.feed(call);
      times.push((performance.now() - started) * 1000);
    });
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
  }
  const meanCpuUs = cpuUs / times.length;
  times.sort((a, b) => a - b);
  const [p50Us = 0, p99Us = 0] = [0.5, 0.99].map((share) => times[Math.floor(share * times.length)] ?? 0);
  times.length = 0;
  const bytesPerSession = Math.max(0, Math.round((heapUsed() - before) / sessions));
  const flagged = detectors.filter((detector) => detector.verdict().verdict === 'confirmed').length;
  // Named here so that they are still in the heap when it is measured, as they were before.
  if (texts.length !== sessions) throw new Error('The calls are gone.');
  return { meanCpuUs, p50Us, p99Us, bytesPerSession, flagged };
}

function warmUp(): void {
  for (let session = 0; session < 40; session++) {
    const detector = createDetector();
    for (let index = 0; index < 100; index++) detector.feed(callOf(session, index));
  }
}

function heapUsed(): number {
  globalThis.gc?.();
  return globalThis.gc ? process.memoryUsage().heapUsed : 0;
}

/** Even sessions work and now and then fail, odd ones go round three calls. */
function callOf(session: number, index: number): LoopCall {
  const looping = session % 2 === 1;
  const what = looping ? index % 3 : index;
  const fails = !looping && index % 5 === 0;
  const answer = fingerprint(`${session} answers ${what}`);
  return {
    traceId: fingerprint(`trace ${session}`).repeat(2),
    spanId: fingerprint(`${session} ${index}`),
    serverName: 'notes',
    toolName: ['search_notes', 'read_note', 'write_note'][what % 3] ?? '',
    startedAtUs: 1.7e15 + index * 3_000_000 + session,
    durationUs: 40_000,
    outcome: fails ? 'tool_error' : 'ok',
    errorCode: fails ? 'NOT_FOUND' : '',
    errorMessage: fails ? 'note <str> is not there' : '',
    errorArgument: '',
    errorFingerprint: fails ? fingerprint('note # is not there') : '',
    errorInResult: false,
    fingerprintKeyId: '1f2e3d4c',
    argumentsFingerprint: fingerprint(`${session} asks ${what}`),
    argumentsMaskedFingerprint: fingerprint(`${session} asks ${what}`),
    argumentFingerprints: Object.fromEntries(
      ['query', 'folder', 'limit', 'request_id'].map((name) => [name, fingerprint(`${name} ${what}`)]),
    ),
    argumentsBytes: 120,
    resultFingerprint: answer,
    resultMaskedFingerprint: answer,
    resultSimilarity: fingerprint(`similar ${session} ${what}`),
    resultTrait: '',
    resultLines: 12,
    resultBytes: 560,
  };
}
