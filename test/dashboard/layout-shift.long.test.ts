// How far parts of each page move while it loads: the sum of the browser's layout shifts, https://web.dev/articles/cls
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type OpenDashboard, openDashboard, waitUntilLoaded } from './open-dashboard.ts';

let dashboard: OpenDashboard;

beforeAll(async () => {
  dashboard = await openDashboard(inject('browserLaunch'));
});
afterEach(() => dashboard.leave());
afterAll(() => dashboard?.close());

const MAX_SHIFT = 0.05;
/** Charts are drawn in frames after their data. */
const SETTLE_MS = 1_000;

const PAGES = [
  '/?from=now-24h',
  '/tools?from=now-24h',
  '/tools/search_issues?of=github&from=now-24h',
  '/sessions?from=now-24h',
  '/calls?from=now-24h',
  '/loops?from=now-24h',
  '/incidents?from=now-24h',
  '/clients?from=now-24h',
  '/servers/github?from=now-24h',
  '/plans?from=now-24h',
  '/data-flow?from=now-24h',
  '/alerts',
  '/administration',
  '/add-server',
  '/settings',
];

interface ShiftEntry extends PerformanceEntry {
  readonly value: number;
}

async function readShift(page: Page): Promise<number> {
  return page.evaluate(
    (settleMs) =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as ShiftEntry).value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(sum), settleMs);
      }),
    SETTLE_MS,
  );
}

describe('layout shift', () => {
  test.each(PAGES.flatMap((path) => [1440, 390].map((width) => [path, width] as const)))(
    '%s, %i pixels wide, moves by less than a twentieth while it loads',
    async (path, width) => {
      const { page } = await dashboard.visit(path, { viewport: { width, height: 900 } });
      await waitUntilLoaded(page);
      expect(await readShift(page)).toBeLessThan(MAX_SHIFT);
    },
  );
});
