// A storm on the page: one entry, however many sessions it has. Two of the fixture's loops are part of one here.
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { StormRow } from '../../src/contract/storms.ts';
import { readTable } from '../support/read-table.ts';
import { createCalls } from './fixture-calls.ts';
import { createLoops } from './fixture-loops.ts';
import { createFixtureQueries } from './fixture-queries.ts';
import { type FixtureServer, startFixtureServer } from './fixture-server.ts';
import { type OpenDashboard, openDashboard, waitUntilLoaded } from './open-dashboard.ts';

const STORM = '00000000000000e1';
const SENTENCE = 'notes failed with CONFLICT in 40 sessions within 2 min, in move.';

let dashboard: OpenDashboard;
let stormServer: FixtureServer;

beforeAll(async () => {
  dashboard = await openDashboard(inject('browserLaunch'));
  const calls = createCalls(Date.now());
  stormServer = await startFixtureServer({ calls, queries: createStormQueries(calls) });
});

afterEach(async () => dashboard.leave());

afterAll(async () => {
  await dashboard.close();
  await stormServer.close();
});

describe('storm', () => {
  test('a storm is one line on the overview, and its loops are not listed separately', async () => {
    const { page } = await dashboard.visit('/?from=now-24h', { base: stormServer.url });
    await waitUntilLoaded(page);
    const line = page.getByRole('list', { name: 'Storms' }).getByRole('link', { name: SENTENCE });
    await line.waitFor();
    expect(await readTable(page, 'Agent loops')).toEqual([expect.arrayContaining(['Cycle suspected'])]);
    await line.click();
    await page.getByRole('list', { name: `Loops of ${STORM}` }).waitFor();
  });

  test('a storm on the loops page folds its sessions', async () => {
    const { page } = await dashboard.visit('/loops?from=now-24h', { base: stormServer.url });
    await waitUntilLoaded(page);
    await page.getByText(SENTENCE).waitFor();
    expect(await page.getByText('stuck-on…-7f21').count()).toBe(0);
    await page.getByRole('button', { name: 'Loops by session' }).click();
    await page.getByRole('link', { name: 'stuck-on…-7f21' }).waitFor();
  });
});

/** The stuck agent is one of forty that failed alike. */
function createStormQueries(calls: ReturnType<typeof createCalls>) {
  const questions = createFixtureQueries(
    () => calls,
    async () => undefined,
  );
  const [stuck, ...others] = createLoops(calls);
  if (stuck === undefined) throw new Error('The fixture has no loop.');
  const loops = [{ ...stuck, stormId: STORM }, ...others].filter(({ severity }) => severity !== 'note');
  const storm = StormRow.parse({
    ...{ id: STORM, server: 'notes', environment: '', kind: 'failure', code: 'CONFLICT', template: '' },
    ...{ tools: ['move'], sessions: 40, calls: 480, state: 'active', cause: 'server', sentence: SENTENCE },
    ...{ firstAt: stuck.onset, lastAt: stuck.lastAt },
  });
  return {
    ...questions,
    storms: async ({ range }: Parameters<typeof questions.storms>[0]) => ({
      ...{ range, storms: [storm], total: 1, active: 1, nextCursor: null },
    }),
    loops: async (query: Parameters<typeof questions.loops>[0]) => {
      const chosen = loops.filter(
        ({ stormId }) => (query.storm ?? stormId) === stormId && (query.alone !== 'true' || stormId === ''),
      );
      const wastedCalls = chosen.reduce((sum, loop) => sum + loop.wastedCalls, 0);
      return {
        range: query.range,
        loops: chosen,
        total: chosen.length,
        active: 1,
        wastedCalls,
        nextCursor: null,
      };
    },
  };
}
