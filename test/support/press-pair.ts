// Two keys that mean something only shortly after one another, pressed as a hand does: the second without waiting for what the
// page makes of the first.
import type { Page } from 'playwright-core';

export async function pressKeyPair(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}
