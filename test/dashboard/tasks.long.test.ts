// Tasks of a new user, from the overview: each is at most two clicks away.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type OpenDashboard, openDashboard, waitUntilLoaded } from './open-dashboard.ts';

let dashboard: OpenDashboard;

beforeAll(async () => {
  dashboard = await openDashboard(inject('browserLaunch'));
});
afterEach(() => dashboard.leave());
afterAll(() => dashboard?.close());

const MAX_CLICKS = 2;

/** What is clicked in turn: the accessible name of a link or button, the first of its kind. */
interface Task {
  readonly task: string;
  readonly clicks: readonly (readonly [role: 'link' | 'button', name: RegExp])[];
  /** What is on the page then. */
  readonly shows: RegExp;
}

const TASKS: readonly Task[] = [
  { task: 'add a server', clicks: [['link', /^Add a server$/]], shows: /observe\(/ },
  { task: 'see whether the servers are healthy', clicks: [], shows: /Failing|Degraded|Healthy|Looping/ },
  {
    task: 'find the calls of the worst failure',
    clicks: [
      ['link', /^Calls$/],
      ['button', /error/i],
    ],
    shows: /calls/,
  },
  { task: 'see the evidence of a loop', clicks: [['link', /^Loops$/]], shows: /Wasted|wasted|loop/ },
];

async function walk(page: Page, { clicks, shows }: Task): Promise<number> {
  for (const [role, name] of clicks) {
    await page.getByRole(role, { name }).first().click();
    await waitUntilLoaded(page);
  }
  await expect
    .poll(async () => (await page.locator('body').innerText()) ?? '', { timeout: 30_000 })
    .toMatch(shows);
  return clicks.length;
}

describe('tasks of a new user', () => {
  test.each(TASKS.map((one) => [one.task, one] as const))(
    'a new user can %s within two clicks',
    async (_, task) => {
      const { page } = await dashboard.visit('/?from=now-24h');
      await waitUntilLoaded(page);
      expect(await walk(page, task)).toBeLessThanOrEqual(MAX_CLICKS);
    },
  );
});
