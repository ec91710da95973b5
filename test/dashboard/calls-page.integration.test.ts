// The list of calls in a real browser: long as it is, the live tail, and what the filters say.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CallRow } from '../../src/contract/calls.ts';
import { collapseSpaces, readTable } from '../support/read-table.ts';
import { createCalls } from './fixture-calls.ts';
import { type FixtureServer, startFixtureServer } from './fixture-server.ts';
import { type OpenDashboard, openDashboard } from './open-dashboard.ts';

const LIST = 'Calls, newest first';

let dashboard: OpenDashboard;
const servers: FixtureServer[] = [];

beforeAll(async () => {
  dashboard = await openDashboard(inject('browserLaunch'));
});

afterAll(() => dashboard?.close());

afterEach(async () => {
  await dashboard.leave();
  for (const own of servers.splice(0)) await own.close();
});

async function serve(calls: readonly CallRow[]): Promise<FixtureServer> {
  const own = await startFixtureServer({ calls });
  servers.push(own);
  return own;
}

/** Calls a tenth of a second apart, the last just now; their tools are numbered from the newest. */
function numberedCalls(count: number): CallRow[] {
  const template = createCalls(Date.now()).find(({ tool }) => tool === 'forecast');
  if (!template) throw new Error('The fixture has no forecast.');
  const now = Date.now();
  return Array.from({ length: count }, (_, at) => ({
    ...template,
    tool: `tool ${count - at}`,
    startedAt: new Date(now - (count - at) * 100).toISOString(),
    spanId: at.toString(16).padStart(16, '0'),
  }));
}

/** Calls that arrive at this moment. */
function arrivingCalls(from: number, count: number): CallRow[] {
  return numberedCalls(count).map((call, at) => ({
    ...call,
    tool: `new ${from + at}`,
    spanId: `f${(from + at).toString(16).padStart(15, '0')}`,
    startedAt: new Date(Date.now() - count + at).toISOString(),
  }));
}

const firstTool = async (page: Page): Promise<string | undefined> => (await readTable(page, LIST))[0]?.[1];
const scrollToEnd = (page: Page): Promise<void> =>
  page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight }));

describe('long list of calls', () => {
  test('only the visible rows are in the document, down to the last call', async () => {
    const count = 2_200;
    const own = await serve(numberedCalls(count));
    const { page, complaints } = await dashboard.visit('/calls?from=now-24h', { base: own.url });
    await page.getByRole('table', { name: LIST }).waitFor();
    const shown = page.locator('.list-end');
    let most = 0;
    await expect
      .poll(
        async () => {
          await scrollToEnd(page);
          most = Math.max(most, await page.locator('table.data tr').count());
          return collapseSpaces(await shown.textContent());
        },
        { timeout: 60_000 },
      )
      .toBe('2 200');
    expect(most).toBeLessThan(100);
    await scrollToEnd(page);
    await expect.poll(async () => (await readTable(page, LIST)).at(-1)?.[1]).toBe(`tool ${count}`);
    expect(await page.locator('table.data tr').count()).toBeLessThan(100);
    await page.evaluate(() => window.scrollTo({ top: 0 }));
    await expect.poll(() => firstTool(page)).toBe('tool 1');
    expect(complaints).toEqual([]);
  }, 120_000);
});

describe('reloading list of calls', () => {
  interface Watching extends Window {
    readonly wrong: string[];
  }

  /** Notes on the page, at every change of it, a list without a row, and one that is not marked as old with rows of another tool. */
  function watchList(label: string): void {
    const wrong: string[] = [];
    Object.assign(window, { wrong });
    new MutationObserver(() => {
      const table = document.querySelector(`table[aria-label="${label}"]`);
      if (!table || table.closest('[data-stale]')) return;
      const tools = [...table.querySelectorAll('tr[data-key] .fold')].map(({ textContent }) => textContent);
      const asked = new URLSearchParams(location.search).get('tool');
      if (tools.length === 0) wrong.push('empty');
      wrong.push(...tools.flatMap((tool) => (tool === asked ? [] : [`${tool}, not ${asked}`])));
    }).observe(document, { childList: true, subtree: true, attributes: true });
  }

  test('the list is never empty while it reloads and never shows rows of the previous query as its own', async () => {
    const { page } = await dashboard.visit('/settings');
    await page.addInitScript(watchList, LIST);
    await page.goto(`${dashboard.server.url}/calls?from=now-24h&server=weather&tool=search`);
    await expect.poll(() => firstTool(page)).toBe('search');
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('forecast');
    await expect.poll(() => firstTool(page)).toBe('forecast');
    // What the script put there.
    expect(await page.evaluate(() => (window as unknown as Watching).wrong)).toEqual([]);
  });
});

describe('live tail', () => {
  test('new calls appear live, and the list stands still and counts new calls while a user reads', async () => {
    const own = await serve(numberedCalls(600));
    const { page, complaints } = await dashboard.visit('/calls?from=now-24h', { base: own.url });
    await page.getByRole('table', { name: LIST }).waitFor();
    await page.getByRole('button', { name: 'Live' }).waitFor();
    own.receive(arrivingCalls(1, 1));
    await expect.poll(() => firstTool(page)).toBe('new 1');
    await page.evaluate(() => window.scrollTo({ top: 3_000 }));
    await expect.poll(() => firstTool(page)).not.toBe('new 1');
    const read = await page.evaluate(() => window.scrollY);
    own.receive(arrivingCalls(2, 3));
    await page.getByRole('button', { name: '3 new' }).waitFor();
    own.receive(arrivingCalls(5, 400));
    const many = page.getByRole('button', { name: '200 or more new' });
    await many.waitFor();
    expect(await page.evaluate(() => window.scrollY)).toBe(read);
    await many.click();
    await expect.poll(() => firstTool(page)).toBe('new 404');
    await expect.poll(() => page.locator('.waiting button').count()).toBe(0);
    own.receive(arrivingCalls(405, 2));
    await expect.poll(() => firstTool(page)).toBe('new 406');
    expect(complaints).toEqual([]);
  }, 120_000);
});

describe('filters of calls', () => {
  const total = (page: Page) => page.locator('.calls-total');
  const filterBy = async (page: Page, column: string): Promise<void> => {
    await page.locator('.toolbar').getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('combobox', { name: 'Column' }).selectOption({ label: column });
  };

  test('the filters offer the existing values, are kept in the address, and show how many calls remain', async () => {
    const { page, complaints } = await dashboard.visit('/calls?from=now-24h');
    await filterBy(page, 'Code');
    await page.getByRole('button', { name: 'HTTP_404 47' }).click();
    await expect.poll(async () => collapseSpaces(await total(page).textContent())).toBe('47 requests');
    expect(new URL(page.url()).searchParams.get('code')).toBe('HTTP_404');
    await filterBy(page, 'Client');
    await page.getByRole('list', { name: 'Values' }).getByRole('button').first().click();
    await expect.poll(() => new URL(page.url()).searchParams.get('client')).not.toBeNull();
    expect(new URL(page.url()).searchParams.get('code')).toBe('HTTP_404');
    await filterBy(page, 'Min duration, ms');
    await page.getByRole('textbox', { name: 'Min duration, ms' }).fill('99999');
    await page.getByRole('button', { name: 'Set' }).click();
    await page.getByText(/^No call with .*code HTTP_404, minMs 99999/).waitFor();
    await page.getByRole('button', { name: 'Remove filter Min duration, ms 99999' }).click();
    await expect.poll(() => firstTool(page)).toBeTruthy();
    expect(complaints).toEqual([]);
  });

  test.each([
    ['wide', { width: 1440, height: 900 }],
    ['narrow', { width: 390, height: 844 }],
  ])('a filter takes several values and excludes some, %s', async (_name, viewport) => {
    const { page, complaints } = await dashboard.visit('/calls?from=now-24h&counted=true', { viewport });
    const address = () => new URL(page.url()).searchParams;
    const filters = page.getByRole('button', { name: 'Filters', exact: true });
    if (await filters.isVisible()) await filters.click();
    await page.getByRole('button', { name: 'Add or exclude values' }).click();
    await page.getByRole('button', { name: 'Add search_issues' }).click();
    await page.getByRole('button', { name: 'Add get_file' }).click();
    await page.getByRole('combobox', { name: 'Filter to set' }).selectOption({ label: 'Client' });
    await page.getByRole('button', { name: 'Exclude cursor' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => address().getAll('tool').sort()).toEqual(['get_file', 'search_issues']);
    expect(address().getAll('-client')).toEqual(['cursor']);
    const shown = async (): Promise<string[]> => {
      const rows = await readTable(page, LIST);
      return [...new Set(rows.map((cells) => cells[1] ?? ''))].sort();
    };
    await expect.poll(shown).toEqual(['get_file', 'search_issues']);
    await page.getByRole('button', { name: 'Remove filter Tool get_file' }).click();
    await expect.poll(shown).toEqual(['search_issues']);
    await page.getByRole('button', { name: 'Remove filter Client not cursor' }).click();
    await expect.poll(() => address().has('-client')).toBe(false);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['wide', { width: 1440, height: 900 }],
    ['narrow', { width: 390, height: 844 }],
  ])('calls are searched, and filtered from the cells of a row by keyboard, %s', async (_name, viewport) => {
    const { page, complaints } = await dashboard.visit('/calls?from=now-24h', { viewport });
    const address = () => new URL(page.url()).searchParams;
    const search = page.getByRole('searchbox', { name: 'Search tools, codes and messages' });
    await search.fill('NOT found');
    await search.press('Enter');
    await expect.poll(() => address().get('q')).toBe('NOT found');
    await expect.poll(async () => collapseSpaces(await total(page).textContent())).toBe('35 requests');
    await expect.poll(async () => (await readTable(page, LIST)).length).toBe(35);
    await page.getByRole('table', { name: LIST }).locator('.fold').first().focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    expect(await focused()).toBe('Filter by code HTTP_404');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Only this' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => address().get('-code')).toBe('HTTP_404');
    await page.getByRole('button', { name: 'Remove filter Code not HTTP_404' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('the bars above the list are its calls, a drag selects their range, and columns are remembered', async () => {
    const { page, complaints } = await dashboard.visit('/calls?from=now-24h&errors=true&tables=histogram');
    const sum = async (): Promise<number> => {
      const rows = await readTable(page, 'Calls by outcome');
      return rows
        .flatMap((cells) => cells.slice(1))
        .reduce((n, text) => n + Number(text.replace('–', '0')), 0);
    };
    const count = async () => Number(collapseSpaces(await total(page).textContent())?.split(' ')[0]);
    await expect.poll(async () => (await sum()) > 0 && (await sum()) === (await count())).toBe(true);
    await page.getByRole('button', { name: 'Calls by outcome as chart' }).click();
    const plot = await page
      .getByRole('figure', { name: /^Calls over time/ })
      .locator('.bars-plot')
      .boundingBox();
    if (!plot) throw new Error('The bars have no size.');
    await page.mouse.move(plot.x + plot.width / 2, plot.y + 20);
    await page.mouse.down();
    await page.mouse.move(plot.x + (plot.width * 3) / 4, plot.y + 20, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => new URL(page.url()).searchParams.get('to')).not.toBeNull();
    const { from, to } = Object.fromEntries(new URL(page.url()).searchParams);
    const hours = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 3_600_000;
    // A quarter of the bars: whole buckets of a quarter of an hour, of which the first and last begin and end outside.
    expect(hours).toBeGreaterThan(5.95);
    expect(hours).toBeLessThan(6.15);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Environment' }).check();
    await page.reload();
    await page.getByRole('columnheader', { name: 'Environment' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('an error template links to exactly its calls', async () => {
    const { page } = await dashboard.visit('/calls?from=now-24h');
    await page.getByRole('button', { name: /error patterns/ }).click();
    await page.getByRole('link', { name: /repository <s> not found/ }).click();
    await expect.poll(async () => collapseSpaces(await total(page).textContent())).toBe('35 requests');
    // The list is another question than its count.
    await expect.poll(async () => (await readTable(page, LIST)).length).toBe(35);
    const rows = await readTable(page, LIST);
    expect(new Set(rows.map((cells) => cells[1]))).toEqual(new Set(['search_issues']));
    await page.getByRole('button', { name: /^Remove filter Message repository/ }).waitFor();
  });
});

describe('export of calls', () => {
  test('the export holds all filtered calls, not only those on the screen', async () => {
    const own = await serve(
      numberedCalls(600).map((call, at) => ({ ...call, durationMs: at % 2 === 0 ? 50 : 5 })),
    );
    const { page } = await dashboard.visit('/calls?from=now-24h&minMs=10', { base: own.url });
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save these calls as NDJSON' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('calls.ndjson');
    const chunks: Buffer[] = [];
    for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as CallRow).tool)).toEqual(
      Array.from({ length: 300 }, (_, at) => `tool ${2 * at + 2}`),
    );
  });
});
