// Error groups over calls in a real engine: counts as in memory, one group for several tools, and states.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ErrorGroupsResponse, type StoredErrorGroupMark } from '../../../../src/contract/error-groups.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import {
  createSeededCall,
  createSeededCalls,
  type SeededCall,
  toStoredRow,
} from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';

const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * 60_000;
const range = { fromMs: NOW - 24 * HOUR, toMs: NOW };
const MESSAGES = ['', 'limit must be <= <n>', 'upstream timed out after <n> ms'];

const isCounted = ({ side, method, outcome, fault }: SeededCall): boolean =>
  side === 'server' && method === 'tools/call' && outcome !== 'input_required' && fault !== 'none';

describe('error groups', () => {
  let engine: TestEngine;
  let nowMs = NOW;
  const marks = new Map<string, StoredErrorGroupMark>();
  const calls = createSeededCalls({ seed: 11, count: 1_500, fromMs: range.fromMs, toMs: NOW - HOUR }).map(
    (call, at): SeededCall => ({
      ...call,
      ...(call.fault !== 'none' && { error_message: MESSAGES[at % 3] ?? '' }),
    }),
  );
  const open = () =>
    createQueries({
      store: engine.store,
      clock: () => nowMs,
      freshness: () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 }),
      errorGroupMarks: {
        list: async () => [...marks.values()],
        set: async (mark) => void marks.set(mark.id, mark),
      },
    });
  const getGroups = async (over: object = {}) =>
    ErrorGroupsResponse.parse(await open().errorGroups({ range, limit: 500, ...over }));

  beforeAll(async () => {
    engine = await startTestEngine();
    await insertRows(engine.store, 'calls', calls.map(toStoredRow));
  });
  afterAll(() => engine.stop());

  const countBy = (rows: readonly SeededCall[], keyOf: (call: SeededCall) => string) => {
    const counted = new Map<string, number>();
    for (const row of rows) counted.set(keyOf(row), (counted.get(keyOf(row)) ?? 0) + 1);
    return [...counted].sort();
  };

  test('groups count failures by outcome, code and message across tools, as the calls in memory do', async () => {
    const { groups, totals, isWhole } = await getGroups();
    const failed = calls.filter(isCounted);
    const keyOf = (one: { server: string; outcome: string; code: string; template: string }) =>
      JSON.stringify([one.server, one.outcome, one.code, one.template]);
    const keyOfCall = (call: SeededCall) =>
      keyOf({
        ...{ server: call.server_name, outcome: call.outcome, code: call.error_code },
        template: call.error_message,
      });
    expect(groups.map((group) => [keyOf(group), group.count]).sort()).toEqual(countBy(failed, keyOfCall));
    expect(totals).toEqual({ open: groups.length, regressed: 0, ignored: 0, resolved: 0 });
    expect(isWhole).toBe(true);
    for (const group of groups.slice(0, 20)) {
      const own = failed.filter((call) => keyOfCall(call) === keyOf(group));
      const toPairs = (counts: typeof group.tools) => counts.map(({ name, count }) => [name, count]).sort();
      expect(toPairs(group.tools)).toEqual(countBy(own, ({ tool_name }) => tool_name));
      expect(toPairs(group.versions)).toEqual(countBy(own, ({ server_version }) => server_version));
      expect(toPairs(group.clients)).toEqual(countBy(own, ({ client_name }) => client_name));
      const sessions = own.filter(({ session_id }) => session_id !== '');
      expect(group.sessions).toBe(
        countBy(sessions, (call) => `${call.session_source} ${call.session_id}`).length,
      );
      expect(Date.parse(group.firstSeenAt)).toBe(
        Math.floor(Math.min(...own.map((c) => c.startedUs)) / 1_000),
      );
    }
    expect(groups.some(({ tools }) => tools.length > 1)).toBe(true);
  });

  test('a group is resolved in a version, regresses on a newer one and not on an older one, and can be ignored', async () => {
    const [group] = (await getGroups({ server: 'files' })).groups;
    if (!group) throw new Error('the calls have no failures of this server');
    const fail = async (version: string): Promise<void> => {
      const call = createSeededCall({
        ...{
          startedUs: (nowMs + 1_000) * 1_000,
          side: 'server',
          method: 'tools/call',
          server_version: version,
        },
        ...{ server_name: group.server, outcome: group.outcome, fault: group.fault, error_code: group.code },
        error_message: group.template,
      });
      await insertRows(engine.store, 'calls', [toStoredRow(call)]);
      nowMs += 2_000;
    };
    const getState = async () => {
      const { groups } = await getGroups({ group: group.id, range: { ...range, toMs: nowMs } });
      return groups.map(({ state, countSinceMark, regressed }) => [
        state,
        countSinceMark,
        regressed?.version,
      ]);
    };
    const resolved = { id: group.id, state: 'resolved', author: 'ana', comment: 'retries' } as const;
    await open().setErrorGroupState({ ...resolved, version: '9.1.0' });
    expect(await getState()).toEqual([['resolved', 0, undefined]]);
    await fail('1.0.0');
    expect(await getState()).toEqual([['resolved', 1, undefined]]);
    expect((await getGroups({ state: 'unresolved' })).groups.map(({ id }) => id)).not.toContain(group.id);
    await fail('9.2.0');
    expect(await getState()).toEqual([['regressed', 2, '9.2.0']]);
    const [first] = (await getGroups({ range: { ...range, toMs: nowMs } })).groups;
    expect([first?.id, first?.marked?.author, first?.marked?.comment]).toEqual([group.id, 'ana', 'retries']);
    await open().setErrorGroupState({ id: group.id, state: 'ignored', count: 1, author: '', comment: '' });
    expect(await getState()).toEqual([['ignored', 0, undefined]]);
    await fail('9.2.0');
    expect(await getState()).toEqual([['open', 1, undefined]]);
  });

  test.each<[object, string, string]>([
    [{ id: '0000000000000000', state: 'resolved' }, 'NOT_FOUND', 'no call failed like this'],
    [{ id: 'x', state: 'resolved', seconds: 60 }, 'INVALID_BODY', 'a resolved group has no end'],
    [{ id: 'x', state: 'ignored', version: '1' }, 'INVALID_BODY', 'an ignored group is not fixed'],
    [{ id: 'x', state: 'open', count: 1 }, 'INVALID_BODY', 'an open group has no limit'],
  ])('the mark %j is refused with %s, because %s', async (body, code) => {
    const request = { id: 'x', state: 'open', author: '', comment: '', ...body } as const;
    await expect(open().setErrorGroupState(request)).rejects.toMatchObject({ code });
  });
});
