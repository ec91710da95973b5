// Every number that is a link leads to as many calls as it says: the real questions over a real engine, on every page, each
// link asked for its count; and some followed as a person would.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { toQueryString } from '../../dashboard/src/api/fetch-resource.ts';
import { toCallsQueryParams } from '../../dashboard/src/api/queries.ts';
import { CALLS_PARAMETERS } from '../../dashboard/src/paths.ts';
import { readPageState } from '../../dashboard/src/view/page-state.ts';
import { readView } from '../../dashboard/src/view/view.ts';
import { CallsResponse } from '../../src/contract/calls.ts';
import { createQueries } from '../../src/service/queries/queries.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { createSeededCalls, toStoredRow } from '../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../support/engine.ts';
import { groupBy } from '../support/oracle/call-stats.ts';
import { propertyRuns, sampleCases } from '../support/property-runs.ts';
import { collapseSpaces } from '../support/read-table.ts';
import { type FixtureServer, startFixtureServer } from './fixture-server.ts';
import { waitUntilLoaded } from './open-dashboard.ts';

const HOUR = 3_600_000;
const NOW = Date.now();
/** Of one page, and in the quick run of one kind. */
const MAX_LINKS = 24;
const MAX_LINKS_OF_A_KIND = propertyRuns({ quick: 2, full: MAX_LINKS });
const ERROR_MESSAGES = ['limit must be <= <n>', 'no such note', ''];

const calls = createSeededCalls({ seed: 5, count: 1_500, fromMs: NOW - 20 * HOUR, toMs: NOW - 60_000 }).map(
  (call, at) =>
    call.fault === 'none'
      ? call
      : { ...call, error_message: ERROR_MESSAGES[at % 3] ?? '', error_argument: at % 2 === 0 ? 'limit' : '' },
);

let engine: TestEngine;
let server: FixtureServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', calls.map(toStoredRow));
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  const questions = createQueries({ store: engine.store, clock: Date.now, freshness });
  server = await startFixtureServer({ queries: questions });
  browser = await launchBrowser(inject('browserLaunch'));
  ({ page } = await openPage(browser));
  // Live would ask again and again; nothing arrives here.
  await page.route('**/api/v1/stream', (route) => route.abort());
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  await engine?.stop();
});

interface NumberLink {
  readonly text: string;
  readonly path: string;
}

/** A number may be rounded, but up to 99 999 it never is. */
const NUMBER = /^\d{1,3}(?: ?\d{3})*$/;

/** Links of the page to calls whose words are a number, or begin with one and its noun. */
async function readNumbers(path: string): Promise<NumberLink[]> {
  await page.goto(`${server.url}${path}`);
  await waitUntilLoaded(page);
  await page.locator('a[href^="/calls?"]').first().waitFor();
  const found = await page.locator('a[href^="/calls?"]').evaluateAll((all) =>
    all.map((link) => ({
      text: (link.querySelector('strong')?.textContent ?? link.textContent ?? '').trim(),
      path: link.getAttribute('href') ?? '',
    })),
  );
  return found
    .map(({ text, path: to }) => ({
      text: collapseSpaces(text).replace(/ (?:calls?|of) .*$| calls?$/, ''),
      path: to,
    }))
    .filter(({ text }) => NUMBER.test(text));
}

const countByPath = new Map<string, Promise<number>>();

/** How many calls the list behind a link has, to its last page; asked once, because nothing arrives here. */
function countCallsOf(path: string): Promise<number> {
  const known = countByPath.get(path) ?? fetchCount(path);
  countByPath.set(path, known);
  return known;
}

async function fetchCount(path: string): Promise<number> {
  const search = path.slice('/calls'.length);
  const params = toCallsQueryParams(readView(search), readPageState(CALLS_PARAMETERS, search));
  let count = 0;
  let cursor: string | undefined;
  do {
    const query = toQueryString({ ...params, limit: '1000', cursor });
    const response = await fetch(`${server.url}/api/v1/calls${query}`);
    const page = CallsResponse.parse(await response.json());
    count += page.calls.length;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return count;
}

const numberOf = ({ text }: NumberLink): number => Number(text.replaceAll(' ', ''));

const PAGES: readonly (readonly [path: string, atLeast: number])[] = [
  ['/?from=now-24h', 15],
  ['/?from=now-24h&server=notes&client=cursor', 8],
  ['/tools?from=now-24h', 4],
  ['/tools?from=now-24h&tab=failing', 4],
  ['/tools/tool_1?of=notes&from=now-24h', 4],
  ['/sessions?from=now-24h', 20],
  ['/sessions?from=now-24h&tool=tool_1', 20],
  ['/sessions/session-1?of=notes&from=now-24h', 1],
];

/** So many of a list, from all of it. */
const pickEvenly = (links: readonly NumberLink[], count: number): readonly NumberLink[] =>
  links.filter((_, at) => at % Math.ceil(links.length / count) === 0);

/** Links with the same parameters are one kind: their addresses are made in one place. */
function pickOfEachKind(links: readonly NumberLink[]): readonly NumberLink[] {
  const kinds = groupBy(links, ({ path }) =>
    [...new URLSearchParams(path.slice('/calls?'.length)).keys()].sort().join(),
  );
  return pickEvenly(
    [...kinds.values()].flatMap((own) => pickEvenly(own, MAX_LINKS_OF_A_KIND)),
    MAX_LINKS,
  );
}

// Two dozen questions of a real engine in each; on a busy machine one takes seconds.
// Requirement: figures.links
describe('number with a link', { timeout: 180_000 }, () => {
  test.each(sampleCases(PAGES, 2))(
    'each linked number on %s equals the number of calls behind its link',
    async (path, atLeast) => {
      const links = await readNumbers(path);
      expect(links.length).toBeGreaterThanOrEqual(atLeast);
      for (const link of pickOfEachKind(links))
        expect([link.path, numberOf(link)]).toEqual([link.path, await countCallsOf(link.path)]);
    },
  );

  test('following a number leads to a list of that many rows', async () => {
    const links = (await readNumbers('/?from=now-24h')).filter((link) => numberOf(link) < 120);
    const chosen = pickEvenly(links, 3);
    expect(chosen.length).toBeGreaterThan(1);
    for (const link of chosen) {
      await page.goto(`${server.url}${link.path}`);
      await expect
        .poll(async () => collapseSpaces(await page.locator('.list-end').textContent()))
        .toBe(link.text);
      expect(await page.locator('table.data tbody tr').count()).toBe(numberOf(link));
    }
  });
});
