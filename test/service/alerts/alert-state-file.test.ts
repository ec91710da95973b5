// The alert state file: what a change costs to write, and that a reader after a power cut gets the last state that was written.
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type AlertState, EMPTY_ALERT_STATE } from '../../../src/service/alerts/alert-records.ts';
import { addUpdates, advanceAlertState } from '../../../src/service/alerts/alert-state.ts';
import {
  AlertStateChangesSchema,
  applyAlertStateChanges,
  diffAlertState,
} from '../../../src/service/alerts/alert-state-changes.ts';
import { AlertStateWriter, readAlertState } from '../../../src/service/alerts/alert-state-file.ts';
import { recordAttempt } from '../../../src/service/alerts/outbox.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { LOOP_RULE, loopNotice, NOW, SECOND } from './sample.ts';

const FILE = '/d/alerts-state.jsonl';
const RULES = [{ ...LOOP_RULE, keepFiringForMs: 0 }];
const INPUTS = { rules: RULES, receivers: ['dashboard', 'hook'], sessions: new Map() };
const loopOfSession = (n: number) => loopNotice({ id: `loop-${n}`, sessionId: `session-${n}` });

function createStateFile() {
  const disk = new MemoryDisk();
  const options = () => ({ dataDirectory: '/d', fileSystem: disk.mount(), log: pino({ level: 'silent' }) });
  const bytes = () => disk.get(FILE).length;
  return { disk, options, bytes, read: () => readAlertState(options()) };
}

function applyLoops(
  desk: AlertState,
  loops: readonly number[],
  nowMs: number,
  state: 'active' | 'over' = 'active',
): AlertState {
  const notices = loops.map((n) => ({ ...loopOfSession(n), lastMs: nowMs, state }));
  return advanceAlertState(addUpdates(desk, { loops: notices, storms: [] }, nowMs), INPUTS, nowMs).state;
}

const many = (count: number) => Array.from({ length: count }, (_, n) => n);

test('ending one of 1,000 alerts writes a few kilobytes to the alert state file, not the whole state', async () => {
  const { options, bytes, read } = createStateFile();
  const writer = new AlertStateWriter(options());
  const before = applyLoops(EMPTY_ALERT_STATE, many(2_100), NOW);
  await writer.write(before);
  const whole = bytes();
  expect(whole).toBeGreaterThan(1_000_000);
  const after = applyLoops(before, [5], NOW + SECOND, 'over');
  await writer.write(after);
  expect(after.alertSet.alerts.filter(({ state }) => state === 'resolved')).toHaveLength(1);
  expect(bytes() - whole).toBeGreaterThan(400);
  expect(bytes() - whole).toBeLessThan(20_000);
  expect(normaliseState(await read())).toEqual(normaliseState(after));
});

test('alerts that are merely seen again are written rarely, and in few bytes', async () => {
  const { options, bytes, read } = createStateFile();
  const writer = new AlertStateWriter(options());
  const before = applyLoops(EMPTY_ALERT_STATE, many(100), NOW);
  await writer.write(before);
  const whole = bytes();
  await writer.write(applyLoops(before, [], NOW + 29 * SECOND));
  expect(bytes()).toBe(whole);
  const after = applyLoops(before, [], NOW + 30 * SECOND);
  await writer.write(after);
  expect(bytes() - whole).toBeLessThan(100 * 60);
  expect((await read()).alertSet.alerts.map(({ seenMs }) => seenMs)).toEqual(
    many(100).map(() => NOW + 30 * SECOND),
  );
});

test('the alert state file is rewritten each time its changes outgrow the state', async () => {
  const { options, bytes, read } = createStateFile();
  const writer = new AlertStateWriter(options());
  let desk = EMPTY_ALERT_STATE;
  let largest = 0;
  for (let n = 0; n < 600; n += 1) {
    desk = applyLoops(applyLoops(desk, [n], NOW + n), [n], NOW + n, 'over');
    desk = {
      ...desk,
      alertSet: { alerts: [], groups: [] },
      unstored: [],
      outbox: { ...desk.outbox, waiting: [] },
    };
    await writer.write(desk);
    largest = Math.max(largest, bytes());
  }
  expect(largest).toBeLessThan(300_000);
  expect(normaliseState(await read())).toEqual(normaliseState(desk));
});

test('an alert state file of an earlier version is read and then replaced', async () => {
  const { disk, options, read } = createStateFile();
  const desk = applyLoops(EMPTY_ALERT_STATE, [1, 2], NOW);
  disk.put('/d/alerts-state.json', Buffer.from(JSON.stringify({ version: 1, desk })));
  expect(await read()).toEqual(desk);
  await new AlertStateWriter(options()).write(desk);
  expect(disk.paths()).toEqual([FILE]);
  expect(await read()).toEqual(desk);
});

test('an alert state file whose fields have their earlier names is read', async () => {
  const { disk, options, read } = createStateFile();
  const writer = new AlertStateWriter(options());
  const [first, second] = [[1, 2], [3]].map((loops) => applyLoops(EMPTY_ALERT_STATE, loops, NOW));
  await writer.write(first!);
  await writer.write(second!);
  const names = { state: 'desk', alertSet: 'book', notified: 'told', notifiedMs: 'toldMs', removed: 'gone' };
  const text = Object.entries(names).reduce(
    (lines, [name, earlier]) =>
      lines.replaceAll(
        `"${name}":${name === 'state' ? '{' : ''}`,
        `"${earlier}":${name === 'state' ? '{' : ''}`,
      ),
    disk.get(FILE).toString(),
  );
  for (const earlier of Object.values(names)) expect(text).toContain(`"${earlier}"`);
  disk.put(FILE, Buffer.from(text));
  expect(normaliseState(await read())).toEqual(normaliseState(second!));
});

test('reading the alert state file stops at an unreadable line, and the file is put aside', async () => {
  const { disk, options, read } = createStateFile();
  const writer = new AlertStateWriter(options());
  const desks = [1, 2, 3].map((n) => applyLoops(EMPTY_ALERT_STATE, many(n), NOW));
  for (const desk of desks) await writer.write(desk);
  const lines = disk.get(FILE).toString().split('\n');
  const broken = [lines[0], lines[1], lines[2]?.slice(0, -5), ''].join('\n');
  disk.put(FILE, Buffer.from(broken));
  expect(await read()).toEqual(desks[1]);
  expect(disk.get(`${FILE}.unreadable`).toString()).toBe(broken);
  expect(await read()).toEqual(desks[1]);
});

test('erased alerts leave nothing behind in the alert state file', async () => {
  const { disk, options } = createStateFile();
  const writer = new AlertStateWriter(options());
  const desk = applyLoops(EMPTY_ALERT_STATE, [1], NOW);
  await writer.write(desk);
  await writer.write(applyLoops(desk, [2], NOW));
  await writer.rewrite(EMPTY_ALERT_STATE);
  expect(disk.get(FILE).toString()).not.toContain('session-');
});

const stateChanges = fc.array(
  fc.record({
    loops: fc.array(fc.nat(12), { maxLength: 4 }),
    state: fc.constantFrom('active' as const, 'over' as const),
    afterMs: fc.integer({ min: -50_000, max: 40_000 }),
    settled: fc.boolean(),
    kept: fc.option(fc.nat(3_000), { nil: undefined, freq: 3 }),
  }),
  { minLength: 1, maxLength: 25 },
);

test('after a power cut at any moment the alert state is the last one written or the one being written', async () => {
  await fc.assert(
    fc.asyncProperty(stateChanges, async (all) => {
      const { disk, options, read } = createStateFile();
      let writer = new AlertStateWriter(options());
      let desk = EMPTY_ALERT_STATE;
      let nowMs = NOW;
      for (const { loops, state, afterMs, settled, kept } of all) {
        nowMs += afterMs;
        let next = applyLoops(desk, loops, nowMs, state);
        const [first] = next.outbox.waiting;
        if (settled && first)
          next = {
            ...next,
            outbox: recordAttempt(next.outbox, {
              id: first.id,
              nowMs,
              random: 0,
              result: { status: 'delivered', httpStatus: 200 },
            }),
          };
        const changes = diffAlertState(desk, next);
        if (changes)
          expect(
            normaliseState(applyAlertStateChanges(desk, AlertStateChangesSchema.parse(toPlain(changes)))),
          ).toEqual(normaliseState(next));
        const writing = writer.write(next).catch(() => undefined);
        if (kept === undefined) {
          await writing;
          desk = next;
          continue;
        }
        for (let turn = 0; turn < kept % 12; turn += 1) await null;
        disk.crash((unsynced) => Math.min(kept, unsynced));
        await writing;
        const found = normaliseState(await read());
        expect([normaliseState(desk), normaliseState(next)]).toContainEqual(found);
        desk = await read();
        writer = new AlertStateWriter(options());
      }
    }),
    { numRuns: propertyRuns({ quick: 60, full: 1_000 }) },
  );
});

const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What matters of a desk: not the order of what has a key, nor when alerts were seen again. */
function normaliseState({ loops, alertSet, ...desk }: AlertState): unknown {
  const alerts = alertSet.alerts.map((alert) => ({ ...alert, seenMs: 0 }));
  return toPlain({
    ...desk,
    loops: Object.fromEntries(loops.map((notice) => [notice.id, notice])),
    alerts: Object.fromEntries(alerts.map((alert) => [alert.fingerprint, alert])),
    groups: Object.fromEntries(alertSet.groups.map((group) => [group.key, group])),
  });
}
