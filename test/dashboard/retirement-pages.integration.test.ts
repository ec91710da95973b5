// The pages of tools to retire in a real browser, from the overview to the callers of one tool.
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { readTable } from '../support/read-table.ts';
import {
  type OpenDashboard,
  openDashboard,
  waitUntilChartsRendered,
  waitUntilLoaded,
} from './open-dashboard.ts';

let dashboard: OpenDashboard;

beforeAll(async () => {
  dashboard = await openDashboard(inject('browserLaunch'));
});

afterEach(() => dashboard?.leave());
afterAll(() => dashboard?.close());

describe('pages of retirements', () => {
  test('verdicts are two clicks from the overview, and each tool leads to its callers', async () => {
    const { page, complaints } = await dashboard.visit('/?from=now-24h');
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Tools', exact: true })
      .click();
    await page
      .getByRole('navigation', { name: 'Which tools' })
      .getByRole('link', { name: 'Retirement' })
      .click();
    await page
      .getByRole('heading', { name: '3 tools are superseded or deprecated; 1 safe to remove.' })
      .waitFor();
    const rows = await readTable(page, 'Tools to retire');
    expect(rows.map(([tool, successor, , verdict]) => [tool, successor, verdict])).toEqual([
      ['list_issues', 'list_issues_v2', 'still called by cursor 1.2 and 1 other'],
      ['archive', 'not named', 'too early: 6 of 14 quiet days'],
      ['search_code', 'search_code_v2', 'safe to remove: 33 quiet days'],
    ]);
    await page.getByRole('link', { name: 'search_code', exact: true }).click();
    await page.getByRole('heading', { name: 'search_code: No call for 33 days: safe to remove.' }).waitFor();
    await waitUntilChartsRendered(page, 1);
    expect(await page.getByText('32 days, because it was called again after 31 days once').count()).toBe(1);
    const callers = await readTable(page, 'Callers');
    expect(callers.map((cells) => cells.slice(0, 5))).toEqual([
      ['search_code_v2', 'cursor', '1.2', '95', '1'],
      ['search_code', 'cursor', '1.2', '40', '1'],
    ]);
    expect(complaints).toEqual([]);
  });

  test('a tool without a call in the kept days has a page that says so', async () => {
    const { page, complaints } = await dashboard.visit('/retirements/archive?of=github');
    await waitUntilLoaded(page);
    expect(await page.getByText('Neither it nor its successor was called').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('a server without superseded tools has an empty list that says so', async () => {
    const { page } = await dashboard.visit('/tools?from=now-24h&tab=retirement&server=notes');
    await page.getByRole('heading', { name: 'No superseded or deprecated tools.' }).waitFor();
    expect(await page.getByRole('table', { name: 'Tools to retire' }).count()).toBe(0);
  });
});
