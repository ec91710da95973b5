// The page of error groups in a browser: found from a tool, resolved with the keyboard, and readable on a phone.
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type OpenDashboard, openDashboard, waitUntilLoaded } from './open-dashboard.ts';

let dashboard: OpenDashboard;
beforeAll(async () => {
  dashboard = await openDashboard(inject('browserLaunch'));
});
afterEach(() => dashboard.leave());
afterAll(() => dashboard.close());

describe('errors', () => {
  test('an error is found from its tool, resolved in a version by name, and listed as resolved', async () => {
    const { page } = await dashboard.visit('/tools/search_issues?of=github&from=now-24h');
    await waitUntilLoaded(page);
    await page.getByRole('link', { name: 'resolve or ignore' }).click();
    await page.getByRole('heading', { name: /error group/, level: 1 }).waitFor();
    const groups = page.getByRole('list', { name: 'Error groups' }).getByRole('listitem');
    const open = groups.filter({ hasText: 'Resolve…' }).first();
    const message = (await open.getByRole('heading').textContent()) ?? '';
    await open.getByRole('button', { name: 'Resolve…' }).press('Enter');
    await page.getByLabel(/^Fixed in version/).fill('1.5.0');
    await page.getByLabel('Comment').fill('retries the lock');
    await page.getByLabel('Your name').fill('Ana');
    await page.getByLabel('Your name').press('Enter');
    await page
      .getByRole('navigation', { name: 'Which error groups' })
      .getByRole('link', { name: /^Resolved/ })
      .click();
    const resolved = groups.filter({ hasText: message }).filter({ hasText: 'retries the lock' });
    await resolved.waitFor();
    expect(await resolved.textContent()).toMatch(/Resolved in 1\.5\.0 by Ana on .+: retries the lock/);
  });

  test('a regressed error comes first and says when and where it failed again, on a phone too', async () => {
    const { page } = await dashboard.visit('/errors?from=now-24h');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('heading', { name: /^1 error group regressed/ }).waitFor();
    const first = page.getByRole('list', { name: 'Error groups' }).getByRole('listitem').first();
    expect(await first.textContent()).toMatch(/Resolved in 1\.4\.3 by Ana.+Failed again .+ in 1\.4\.3\./);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
