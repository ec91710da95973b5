// `npm run pictures`: photographs the pages that the README shows, from the demo's simulated fortnight. The seed and the
// time of the week are fixed, so that a picture changes only with the dashboard, but for its dates.
//
// `npm run pictures -- DIRECTORY [NAME…]` photographs all pages, or those of the names, in both widths and colour schemes.
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { waitUntilLoaded } from '../dashboard/open-dashboard.ts';
import { findBrowser, launchBrowser, openPage } from '../support/browser.ts';
import { ALL_PAGES, README_PICTURES } from './pages.ts';
import { type SimulatedService, startSimulatedService } from './simulated-service.ts';

const README_DIRECTORY = fileURLToPath(new URL('../../dashboard/screenshots', import.meta.url));
const WIDTHS = [1440, 390];
const SCHEMES = ['light', 'dark'] as const;
/** Of a picture in the README. */
const README_HEIGHT = 900;

/** The clock of the page is as far behind as that of the service. */
const shiftClockScript = (shiftMs: number): string =>
  readFileSync(new URL('./shift-clock.mjs', import.meta.url), 'utf8').replace(
    'process.env.SHIFT_CLOCK_MS',
    String(shiftMs),
  );

interface Shot {
  readonly path: string;
  readonly file: string;
  readonly options: BrowserContextOptions;
  readonly isWhole: boolean;
}

async function takePicture(browser: Browser, service: SimulatedService, shot: Shot): Promise<void> {
  const { page, context, complaints } = await openPage(browser, shot.options);
  await context.addInitScript({ content: shiftClockScript(service.shiftMs) });
  await page.goto(`${service.base}${shot.path}`);
  await waitUntilLoaded(page);
  await page.evaluate(() => document.fonts.ready);
  // Charts are drawn in the frame after their data.
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: shot.file, fullPage: shot.isWhole });
  for (const complaint of complaints) process.stderr.write(`${shot.file}: ${complaint}\n`);
  await context.close();
}

function listShots(directory: string | undefined, names: readonly string[]): Shot[] {
  if (directory === undefined)
    return README_PICTURES.map(([name, path]) => ({
      path,
      file: `${README_DIRECTORY}/${name}.png`,
      options: { colorScheme: 'light', viewport: { width: 1440, height: README_HEIGHT } },
      isWhole: false,
    }));
  const pages = ALL_PAGES.filter(([name]) => names.length === 0 || names.includes(name));
  return pages.flatMap(([name, path]) =>
    WIDTHS.flatMap((width) =>
      SCHEMES.map((colorScheme) => ({
        path,
        file: `${directory}/${name}-${width}-${colorScheme}.png`,
        options: { colorScheme, viewport: { width, height: README_HEIGHT } },
        isWhole: true,
      })),
    ),
  );
}

const [directory, ...names] = process.argv.slice(2);
if (directory !== undefined) await mkdir(directory, { recursive: true });
const service = await startSimulatedService();
const browser = await launchBrowser(await findBrowser());
try {
  for (const shot of listShots(directory, names)) await takePicture(browser, service, shot);
} finally {
  await browser.close();
  await service.close();
}
process.exit(0);
