// A session that a range cuts: the list and its page tell of all of it, the calls and every chart of what lies in the range. And each
// number of a single call is the one that was stored.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallRow, CallsResponse } from '../../../../src/contract/calls.ts';
import { SessionResponse, SessionsResponse } from '../../../../src/contract/sessions.ts';
import type { DatasetCall } from '../../../support/dataset/dataset.ts';
import { type OpenDataset, openDataset, RANGES } from '../../../support/dataset/open-dataset.ts';
import { isCounted } from '../../../support/oracle/call-order.ts';
import { failedCalls, groupBy, isWithin, sessionKey, toolCalls } from '../../../support/oracle/call-stats.ts';
import { toEpochUs } from '../../../support/oracle/expect-stats.ts';

let dataset: OpenDataset;

beforeAll(async () => {
  dataset = await openDataset(33);
});

afterAll(() => dataset.stop());

/** Sessions with requests in the range and outside of it. */
function sessionsCutBy(span: (typeof RANGES)[number]['used']): DatasetCall[][] {
  const named = dataset.calls.filter(({ side, session_id }) => side === 'server' && session_id !== '');
  return [...groupBy(named, sessionKey).values()].filter((own) => {
    const inside = own.filter((call) => isWithin(call, span)).length;
    return inside > 0 && inside < own.length;
  });
}

const keyOf = (row: { server: string; source: string; sessionId: string }) =>
  `${row.server}|${row.source}|${row.sessionId}`;
const loopsIn = (key: string): number =>
  dataset.loops.filter(
    (loop) =>
      !loop.withdrawn &&
      loop.severity !== 'note' &&
      `${loop.server}|${loop.sessionSource}|${loop.sessionId}` === key,
  ).length;

function wholeSession(own: readonly DatasetCall[]): object {
  const counted = own.filter(isCounted);
  return {
    calls: counted.length,
    requests: own.length,
    errors: failedCalls(counted).length,
    loops: loopsIn(sessionKey(own[0] as DatasetCall)),
  };
}

function expectNumbers(row: CallRow, call: DatasetCall | undefined): void {
  expect(row).toMatchObject({
    durationMs: (call?.duration_us ?? 0) / 1_000,
    argumentsBytes: call?.arguments_bytes,
    resultBytes: call?.result_bytes,
  });
  expect(toEpochUs(row.startedAt)).toBe(call?.startedUs);
}

describe.each(RANGES)('session that $name cuts', ({ range, used }) => {
  test('a session that the range cuts is counted whole in the list', async () => {
    const cut = sessionsCutBy(used);
    expect(cut.length).toBeGreaterThan(0);
    const asked = { range, minCalls: 0, order: 'recent', limit: 1_000 } as const;
    const answer = SessionsResponse.parse(await dataset.questions.sessions(asked));
    const rows = new Map(answer.sessions.map((row) => [keyOf(row), row]));
    for (const own of cut) {
      const row = rows.get(sessionKey(own[0] as DatasetCall));
      expect(row).toMatchObject(wholeSession(own));
      expect(toEpochUs(row?.startedAt ?? '')).toBe(Math.min(...own.map(({ startedUs }) => startedUs)));
    }
  });

  test('a session that the range cuts is whole on its page', async () => {
    for (const own of sessionsCutBy(used).slice(0, 6)) {
      const [first] = own as [DatasetCall];
      const answer = SessionResponse.parse(
        await dataset.questions.session({ id: first.session_id, server: first.server_name, limit: 1_000 }),
      );
      // Of two sources with one id the stronger one is shown.
      if (answer.session.source !== first.session_source) continue;
      expect(answer.session).toMatchObject(wholeSession(own));
      const stored = new Map(own.map((call) => [call.span_id, call]));
      const shown = answer.calls.filter(({ side }) => side === 'server');
      expect(shown.length).toBe(own.length);
      for (const row of shown) expectNumbers(row, stored.get(row.spanId));
      expect(answer.loops.length).toBe(loopsIn(sessionKey(first)));
    }
  });

  test('a session that the range cuts contributes only its calls of the range to stats', async () => {
    const counted = toolCalls(dataset.calls, used);
    const { tools } = await dataset.questions.tools({ range });
    expect(tools.reduce((sum, row) => sum + row.calls, 0)).toBe(counted.length);
    const inList = CallsResponse.parse(await dataset.questions.calls({ range, limit: 1_000 }));
    const stored = new Map(dataset.calls.map((call) => [call.span_id, call]));
    for (const row of inList.calls) {
      expectNumbers(row, stored.get(row.spanId));
      expect(isWithin(stored.get(row.spanId) as DatasetCall, used)).toBe(true);
    }
  });
});
