// Feedback on a loop in a browser, and the thresholds that the page proposes from it.
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type OpenDashboard, openDashboard } from './open-dashboard.ts';

let dashboard: OpenDashboard;
beforeAll(async () => {
  dashboard = await openDashboard(inject('browserLaunch'));
});
afterEach(() => dashboard.leave());
afterAll(() => dashboard.close());

describe('feedback on loops', () => {
  test('a loop is said to be none with a reason, thresholds are proposed, and the feedback is withdrawn', async () => {
    const { page } = await dashboard.visit('/loops?from=now-24h');
    await page.setViewportSize({ width: 390, height: 800 });
    const loop = page
      .getByRole('list', { name: /^Loops:/ })
      .first()
      .getByRole('listitem')
      .first();
    await loop.getByRole('button', { name: 'Not a loop…' }).click();
    await loop.getByLabel('Why it is not a loop').fill('it waits for a deploy');
    await loop.getByLabel('Your name').fill('Ana');
    await loop.getByLabel('Your name').press('Enter');
    await loop.getByText(/Not a loop says Ana, .+: it waits for a deploy/).waitFor();
    await page.getByRole('button', { name: 'Propose thresholds' }).click();
    await page.getByText('agree with 0 of 1 loop with feedback; with one change, 1 of 1 agree.').waitFor();
    expect(await page.getByRole('list', { name: 'Proposed thresholds' }).textContent()).toBe(
      'notes/move: failures 5 → 9',
    );
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await loop.getByRole('button', { name: 'Withdraw' }).click();
    await loop.getByRole('button', { name: 'Not a loop…' }).waitFor();
  });
});
