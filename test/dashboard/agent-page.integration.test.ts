// One agent on several servers in a real browser: from the list of sessions to the session, and on to one timeline.
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { readTable } from '../support/read-table.ts';
import { AGENT_SESSION, createAgentCalls } from './fixture-agents.ts';
import { type OpenDashboard, openDashboard, waitUntilLoaded } from './open-dashboard.ts';

let dashboard: OpenDashboard;

beforeAll(async () => {
  dashboard = await openDashboard(inject('browserLaunch'));
  dashboard.server.receive(createAgentCalls(Date.now()));
});

afterEach(() => dashboard?.leave());
afterAll(() => dashboard?.close());

describe('one agent on several servers', () => {
  test('a session leads to the sessions of its agent on other servers, and to one timeline', async () => {
    const { page, complaints } = await dashboard.visit('/sessions?from=now-24h&server=shop');
    await page.getByRole('link', { name: AGENT_SESSION }).click();
    await page.getByText('joined by trace id', { exact: true }).waitFor();
    const others = await readTable(page, 'Sessions of the agent');
    expect(others.map((cells) => cells.slice(0, 3))).toEqual([
      ['mail', 'agent on mail', 'trace id (1 shared)'],
    ]);
    await page.getByRole('link', { name: 'One timeline' }).click();
    await page
      .getByRole('heading', { name: '5 calls on 2 servers in 2 sessions, joined by trace id.' })
      .waitFor();
    const rows = await readTable(page, 'Timeline');
    expect(rows.map(([, server, call]) => [server, call])).toEqual([
      ['shop', 'shop_step_0'],
      ['mail', 'mail_step_1'],
      ['shop', 'shop_step_2'],
      ['mail', 'mail_step_3'],
      ['shop', 'shop_step_4'],
    ]);
    await page.getByRole('link', { name: 'mail_step_3' }).click();
    await expect.poll(() => page.url()).toContain('/sessions/agent%20on%20mail?');
    expect(complaints).toEqual([]);
  });

  test('a reader finds what the agent waited beyond the server, for a session and for all clients', async () => {
    const { page, complaints } = await dashboard.visit('/sessions/agent%20on%20shop?of=shop');
    await page.getByRole('button', { name: 'Show the agent’s side' }).click();
    await page
      .getByText('The agent waited 1.56 s for 3 calls, 360 ms beyond the 1.2 s of the server.')
      .waitFor();
    const calls = await readTable(page, 'Calls as the agent reports them');
    expect(calls.map((cells) => cells.at(-1))).toEqual(Array(3).fill('answered by the server'));
    await page.goto(new URL('/clients?from=now-24h', page.url()).href);
    await page.locator('#agent-side').scrollIntoViewIfNeeded();
    await page.getByText(/ joined with a server’s, 1 did not reach the server\.$/).waitFor();
    const [first] = await readTable(page, 'The agent’s side');
    expect(first?.[0]).toBe('planner');
    await page.getByText('did not reach the server: fetch failed').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a session that shares neither id has no such panel, and its page says so', async () => {
    const { page, complaints } = await dashboard.visit('/agents/to-and-fro-0b9c');
    await waitUntilLoaded(page);
    await page.getByText('No other session shares a trace or conversation id with it.').waitFor();
    await page.getByRole('link', { name: 'The session' }).click();
    await waitUntilLoaded(page);
    expect(await page.getByRole('heading', { name: 'The same agent elsewhere' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
