// The sessions' pages in a real browser: from a chip to the session, from a loop's evidence to the very call, what a call changed
// of the one before, by keyboard alone. Figures are literals of the fixture.
import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { collapseSpaces, readTable } from '../support/read-table.ts';
import { createSessionCalls, LONG_CALLS, RESTARTS } from './fixture-session-calls.ts';
import { type OpenDashboard, openDashboard, waitUntilLoaded } from './open-dashboard.ts';

let dashboard: OpenDashboard;

beforeAll(async () => {
  dashboard = await openDashboard(inject('browserLaunch'));
  dashboard.server.receive(createSessionCalls(STARTED_MS));
});

afterEach(() => dashboard?.leave());
afterAll(() => dashboard?.close());

/** What the sessions' times are counted from. */
const STARTED_MS = Date.now();
const DRIFTING_SESSION = '/sessions/drifting-limit?of=github';

async function headerAndRows(page: Page, name: string): Promise<Record<string, string>[]> {
  const table = page.getByRole('table', { name });
  const names = (await table.getByRole('columnheader').allTextContents()).map(collapseSpaces);
  const rows = await readTable(page, name);
  return rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [names[at] ?? '', cell])));
}

describe('list of sessions', () => {
  test('each session shows its outcome, and each chip leads to as many sessions as it counts', async () => {
    const { page, complaints } = await dashboard.visit('/sessions?from=now-24h&server=github&client=cursor');
    await waitUntilLoaded(page);
    const rows = await headerAndRows(page, 'Sessions');
    const drifting = rows.find((row) => row['Session']?.startsWith('drifting'));
    expect(drifting).toMatchObject({
      Client: 'cursor',
      Server: 'github',
      Calls: '13',
      Errors: '2',
      Loops: '0',
      Tools: 'create_issue, search_issues',
      Outcome: 'some failed',
      'ID source': 'stdio connection',
    });
    expect(complaints).toEqual([]);
    await page.goto(`${dashboard.server.url}/sessions?from=now-24h&order=calls`);
    await waitUntilLoaded(page);
    const chips = page.getByRole('navigation', { name: 'Which sessions' });
    for (const [label, heading] of [
      ['Over 30 calls', 'sessions with over 30 calls in the last 24 hours.'],
      ['Ended in error', 'sessions that ended in an error in the last 24 hours.'],
      ['Long gap', 'session with a gap of half an hour in the last 24 hours.'],
      ['Reconnecting', 'sessions of clients that reconnect without calling a tool in the last 24 hours.'],
    ] as const) {
      const chip = chips.getByRole('link', { name: label });
      const count = Number(await chip.locator('.count').textContent());
      expect(count).toBeGreaterThan(0);
      await chip.click();
      await page.getByRole('heading', { name: `${count} ${heading}`, exact: true }).waitFor();
      expect(await readTable(page, 'Sessions')).toHaveLength(count);
      expect(new URL(page.url()).searchParams.get('order')).toBe('calls');
    }
    await page.goBack();
    await page.getByRole('heading', { name: 'a gap of half an hour' }).waitFor();
  });

  test('clients without calls are listed, and the bars of the histogram link to their sessions', async () => {
    const { page } = await dashboard.visit('/sessions?from=now-24h');
    await waitUntilLoaded(page);
    const rows = await headerAndRows(page, 'Sessions without a tool call');
    expect(rows.map((row) => [row['Client'], row['Sessions']])).toEqual(
      expect.arrayContaining([
        ['restless', String(RESTARTS)],
        ['vscode', '1'],
      ]),
    );
    await page.getByRole('link', { name: `keeps reconnecting ${RESTARTS} times in` }).click();
    await page.getByRole('heading', { name: new RegExp(`^${RESTARTS} sessions of clients`) }).waitFor();
    expect(new URL(page.url()).searchParams.get('client')).toBe('restless');
    await page.goBack();
    await waitUntilLoaded(page);
    await page.getByRole('button', { name: 'Calls per session as table' }).click();
    const bars = await readTable(page, 'Sessions by calls');
    expect(bars).toContainEqual(['251–500', '1']);
    expect(bars).toContainEqual(['31–60', '2']);
    await page.getByRole('button', { name: 'Calls per session as chart' }).click();
    await page.locator('.bars a', { hasText: '251–500' }).click();
    await expect
      .poll(async () => (await readTable(page, 'Sessions')).map(([id]) => id))
      .toEqual(['long-work']);
  });

  test('a session cut by the range is counted whole and marked', async () => {
    const from = new Date(STARTED_MS - 39 * 60_000).toISOString();
    const { page } = await dashboard.visit(`/sessions?from=${from}&server=github&client=cursor`);
    await waitUntilLoaded(page);
    const cut = page.locator('tr', { hasText: 'drifting-limit' });
    expect(collapseSpaces(await cut.locator('.cut').textContent())).toMatch(/^← 2 min 14 s$/);
    expect(await page.locator('.foot-note').textContent()).toContain('counted in full');
  });
});

describe('page of a session', () => {
  test('repeats are folded, and each call is compared with the previous one', async () => {
    const { page, complaints } = await dashboard.visit(DRIFTING_SESSION);
    await waitUntilLoaded(page);
    const rows = await headerAndRows(page, 'Calls in order');
    expect(
      rows.map((row) => collapseSpaces(`${row['#']} ${row['Call']} ${row['Changed vs previous']}`)),
    ).toEqual([
      '1 search_issues',
      expect.stringContaining('agent thinking 12 s'),
      expect.stringMatching(/^2 search_issues changed ?limit ?same failure$/),
      expect.stringContaining('agent thinking 14 s'),
      expect.stringMatching(/^3–12 search_issues ?×10.*same arguments ?same result$/),
      expect.stringContaining('agent thinking 1 min 15 s'),
      '13 create_issue',
    ]);
    expect(complaints).toEqual([]);
    await page.locator('tr', { hasText: 'changed' }).getByRole('button').first().click();
    const sides = await readTable(page, 'Previous call and this call');
    expect(sides.map((cells) => cells.map(collapseSpaces).join(' | '))).toEqual(
      expect.arrayContaining(['text of 14 | text of 14 | same', 'int | int | changed']),
    );
    expect(page.url()).toContain('call=');
    await page.reload();
    await page.getByRole('table', { name: 'Previous call and this call' }).waitFor();
    await page.getByRole('link', { name: 'Show 2 other requests' }).click();
    await page.getByRole('button', { name: 'initialize' }).waitFor();
    await page.getByRole('link', { name: 'By time' }).click();
    const words = (await page.locator('.gaps > div').allTextContents()).map(collapseSpaces).join(' ');
    expect(words).toContain('agent thinking 1 min 15 s');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      spacing: 'time',
      others: 'true',
    });
  });

  test('the keyboard alone reaches errors and a loop, and opens and closes a call', async () => {
    const { page } = await dashboard.visit(DRIFTING_SESSION);
    await waitUntilLoaded(page);
    const held = () =>
      page.evaluate(() => document.activeElement?.closest('tr')?.innerText.replace(/\s+/g, ' ') ?? '');
    await page.keyboard.press('e');
    await expect.poll(held).toMatch(/^1 .*-32602/);
    await page.keyboard.press('e');
    await expect.poll(held).toMatch(/^2 .*-32602/);
    await page.keyboard.press('Shift+E');
    await expect.poll(held).toMatch(/^1 /);
    await page.keyboard.press('j');
    await expect.poll(held).toMatch(/^2 /);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Previous call and this call' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('table', { name: 'Previous call and this call' }).count()).toBe(0);
    await page.goto(`${dashboard.server.url}/sessions/stuck-on-a-conflict-7f21?of=notes`);
    await waitUntilLoaded(page);
    await page.keyboard.press('l');
    await expect.poll(held).toMatch(/^3–204 .*move/);
  });

  test('a session of three hundred calls renders only visible rows and still finds its errors', async () => {
    const { page } = await dashboard.visit('/sessions/long-work?of=github');
    await waitUntilLoaded(page);
    expect(collapseSpaces(await page.getByRole('heading', { level: 1 }).textContent())).toContain(
      `${LONG_CALLS} tool calls`,
    );
    expect(await page.locator('tbody tr[data-key]').count()).toBeLessThan(120);
    for (const number of ['41', '42', '223']) {
      await page.keyboard.press('e');
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.closest('tr')?.cells[0]?.innerText ?? ''))
        .toBe(number);
    }
    const isInView = await page.evaluate(() => {
      const box = document.activeElement?.getBoundingClientRect();
      return box !== undefined && box.top > 0 && box.bottom < window.innerHeight;
    });
    expect(isInView).toBe(true);
  });

  test('a session without a call says what it did instead, and one with two keys says that nothing is comparable', async () => {
    const { page } = await dashboard.visit('/sessions/looked-around?of=github');
    await waitUntilLoaded(page);
    expect(collapseSpaces(await page.getByRole('heading', { level: 1 }).textContent())).toMatch(
      /^No tool call by vscode: it connected, listed the tools and called nothing/,
    );
    expect((await headerAndRows(page, 'Calls in order')).map((row) => row['Call'])).toEqual([
      'initialize',
      'tools/list',
    ]);
    await page.goto(`${dashboard.server.url}/sessions/two-keys?of=github`);
    await waitUntilLoaded(page);
    expect(collapseSpaces(await page.locator('.notes').textContent())).toContain(
      '2 fingerprint keys were used',
    );
    const [, second] = await headerAndRows(page, 'Calls in order');
    expect(second?.['Changed vs previous']).toMatch(/not comparable.*result not comparable/);
  });

  test('a link from the evidence of a loop opens the session at its first repetition', async () => {
    const { page } = await dashboard.visit('/loops?from=now-24h&loop=00000000000000d3');
    await page.getByRole('link', { name: 'Open the first repetition' }).click();
    await page.getByRole('table', { name: 'Calls in order' }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('tr')?.cells[0]?.innerText ?? ''))
      .toBe('4');
    await page.getByRole('table', { name: 'Previous call and this call' }).waitFor();
  });

  test('a session can be exported as a file and as text for an issue', async () => {
    const { page, context } = await dashboard.visit(DRIFTING_SESSION);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await waitUntilLoaded(page);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save this session as NDJSON' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('session-drifting-limit.ndjson');
    const lines = readFileSync(await saved.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(15);
    expect(new Set(lines.map((line) => JSON.parse(line).sessionId))).toEqual(new Set(['drifting-limit']));
    await page.getByRole('button', { name: 'Copy for an issue' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toContain('| 3–12 | `search_issues` ×10, same arguments, same result | ok |');
    expect(text).toContain('`limit must be <= <n>`; the next call changed `limit`');
  });
});

test('two sessions can be selected and compared, and the address keeps both', async () => {
  const { page, complaints } = await dashboard.visit(`${DRIFTING_SESSION}&from=now-24h&client=claude-code`);
  await waitUntilLoaded(page);
  await page.getByRole('link', { name: 'Compare with…' }).click();
  await page.getByText('Choose a session to compare with').waitFor();
  await page.getByRole('link', { name: 'Compare with long-work' }).click();
  await page.getByRole('table', { name: 'Side by side' }).waitFor();
  const { searchParams } = new URL(page.url());
  expect(['a', 'aOf', 'b', 'bOf'].map((name) => searchParams.get(name))).toEqual([
    ...['drifting-limit', 'github'],
    ...['long-work', 'github'],
  ]);
  const facts = await headerAndRows(page, 'Side by side');
  expect(facts.find(({ Session }) => Session === 'Client')).toEqual({
    ...{ Session: 'Client', A: 'cursor', B: 'claude-code' },
  });
  const calls = facts.find(({ Session }) => Session === 'Tool calls');
  expect(calls?.['B']).toBe(String(LONG_CALLS));
  expect(collapseSpaces(await page.getByRole('heading', { level: 1 }).textContent())).toMatch(
    /^(The first .* same\. )?They (diverge|differ) at call/,
  );
  const tools = await headerAndRows(page, 'Calls by tool');
  const sum = (side: 'A' | 'B') => tools.reduce((total, row) => total + Number(row[side]), 0);
  expect([String(sum('A')), String(sum('B'))]).toEqual([calls?.['A'], calls?.['B']]);
  // What comes long after they parted is folded.
  const rows = page.getByRole('table', { name: 'Call by call' }).getByRole('row');
  const folded = await rows.count();
  await page.getByRole('button', { name: `All ${LONG_CALLS} positions` }).click();
  await page.getByRole('button', { name: 'Show fewer' }).waitFor();
  expect(await rows.count()).toBeGreaterThan(folded);
  expect(complaints).toEqual([]);
});

test('a call comparison fits a phone screen, and axe finds no serious problem in it', async () => {
  const { page } = await dashboard.visit(DRIFTING_SESSION, { viewport: { width: 390, height: 844 } });
  await waitUntilLoaded(page);
  await page.getByRole('button', { name: 'search_issues' }).nth(1).click();
  await page.getByRole('table', { name: 'Previous call and this call' }).waitFor();
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
  ).toBeLessThanOrEqual(0);
  await page.evaluate(axe.source);
  const findings = await page.evaluate(async () => {
    // What axe puts on the window, as far as it is used here.
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => [id, nodes[0]?.html]);
  });
  expect(findings).toEqual([]);
});
