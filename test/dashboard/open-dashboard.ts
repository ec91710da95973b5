// One browser and one fixture server for a file of tests, and the pages that are open on them.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type BrowserLaunch, launchBrowser, openPage, type WatchedPage } from '../support/browser.ts';
import { type FixtureServer, startFixtureServer } from './fixture-server.ts';

export interface OpenDashboard {
  readonly server: FixtureServer;
  /** Opens a path in a context of its own; `base` is another server's address. */
  visit(path: string, options?: BrowserContextOptions & { readonly base?: string }): Promise<WatchedPage>;
  /** After each test: pages closed, the server as it was. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export async function openDashboard(launch: BrowserLaunch): Promise<OpenDashboard> {
  const browser: Browser = await launchBrowser(launch);
  const server = await startFixtureServer();
  const open: WatchedPage[] = [];
  return {
    server,
    async visit(path, { base = server.url, ...rest } = {}) {
      const watched = await openPage(browser, rest);
      open.push(watched);
      await watched.page.goto(`${base}${path}`);
      return watched;
    },
    async leave() {
      server.become('ready');
      for (const { context } of open.splice(0)) await context.close();
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Waits until nothing on the page loads any more. */
export async function settle(page: Page): Promise<void> {
  // Nothing loads before the range is chosen and the page is there.
  await page.locator('.page').waitFor();
  await expect.poll(() => page.locator('.state.loading').count(), { timeout: 15_000 }).toBe(0);
}
