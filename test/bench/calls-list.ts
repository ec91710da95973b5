// The list of calls at a hundred thousand rows in a real browser, on the service's own HTTP layer with
// pages that are cut from memory. Says how long it takes to get there page by page, and what scrolling through it costs.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import express from 'express';
import type { Page } from 'playwright-core';
import type { CallRow } from '../../src/contract/calls.ts';
import { createCalls } from '../dashboard/fixture-calls.ts';
import { findBrowser, launchBrowser, openPage } from '../support/browser.ts';

const ROWS = 100_000;

function createRows(): CallRow[] {
  const templates = createCalls(Date.now());
  const now = Date.now();
  return Array.from({ length: ROWS }, (_, at) => {
    const template = templates[at % templates.length];
    if (!template) throw new Error('no calls to begin with');
    return {
      ...template,
      spanId: at.toString(16).padStart(16, '0'),
      startedAt: new Date(now - at * 100).toISOString(),
    };
  });
}

/** Only what the page of calls asks; everything else is not found, and the page goes on without. */
async function serveRows(rows: readonly CallRow[]) {
  const app = express();
  app.get('/api/v1/calls', (req, res) => {
    const from = Number(req.query['cursor'] ?? 0);
    const to = from + Number(req.query['limit']);
    const range = { fromMs: Date.now() - 86_400_000, toMs: Date.now() };
    res.json({ range, calls: rows.slice(from, to), nextCursor: to < rows.length ? String(to) : null });
  });
  app.use(
    '/api',
    (_req, res) => void res.status(404).json({ error: { code: 'NOT_FOUND', message: 'none' } }),
  );
  const folder = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));
  app.use(express.static(folder));
  app.use((_req, res) => res.sendFile(`${folder}/index.html`));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is an object
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Frames and long tasks while the page is scrolled by so much a frame, for so many frames. */
async function measureScroll(page: Page, { by, frames }: { by: number; frames: number }) {
  return page.evaluate(
    async ([step, count]) => {
      const long: number[] = [];
      const observer = new PerformanceObserver((list) =>
        long.push(...list.getEntries().map(({ duration }) => duration)),
      );
      observer.observe({ entryTypes: ['longtask'] });
      const gaps: number[] = [];
      let mostRows = 0;
      let last = performance.now();
      for (let frame = 0; frame < count; frame += 1) {
        window.scrollBy({ top: step });
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        gaps.push(now - last);
        last = now;
        mostRows = Math.max(mostRows, document.querySelectorAll('table.data tr').length);
      }
      observer.disconnect();
      return { gaps, long, mostRows };
    },
    [by, frames] as const,
  );
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

async function report(page: Page, name: string, how: { by: number; frames: number }): Promise<void> {
  const { gaps, long, mostRows } = await measureScroll(page, how);
  console.log(
    `  ${name.padEnd(34)} frame p50 ${quantile(gaps, 0.5).toFixed(1)} p95 ${quantile(gaps, 0.95).toFixed(1)} max ${Math.max(...gaps).toFixed(1)} ms` +
      `  tasks over 50 ms: ${long.length}${long.length > 0 ? ` (longest ${Math.max(...long).toFixed(0)} ms)` : ''}  rows in the document: at most ${mostRows}`,
  );
}

/** Prints what it measures. */
export async function benchCallsList(): Promise<void> {
  const served = await serveRows(createRows());
  const browser = await launchBrowser(await findBrowser());
  const { page } = await openPage(browser);
  await page.goto(`${served.url}/calls?from=now-24h`);
  await page.getByRole('table').waitFor();
  console.log(`the list of calls, ${ROWS.toLocaleString('en')} rows`);
  await report(page, '200 rows, a wheel turn a frame', { by: 100, frames: 50 });

  const startedAt = performance.now();
  await page.evaluate(async () => {
    // Says "newest" for as long as there are older ones.
    while (document.querySelector('.list-end')?.textContent?.includes('newest')) {
      window.scrollTo({ top: document.documentElement.scrollHeight });
      await new Promise(requestAnimationFrame);
    }
  });
  console.log(`  all of them, page by page, in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);

  await page.evaluate(() => window.scrollTo({ top: 0 }));
  await report(page, 'from the top, a wheel turn a frame', { by: 100, frames: 300 });
  await report(page, 'on, a screen a frame', { by: 900, frames: 300 });
  await report(page, 'on, a hundred screens a frame', { by: 90_000, frames: 30 });
  const last = await page.locator('table.data tbody:not(.spacer)').last().innerText();
  console.log(`  at the end stands: ${last.replace(/\s+/g, ' ').slice(0, 80)}`);
  await browser.close();
  served.close();
}
