// Reads a table of the dashboard as a person does: the words in its visible cells.
import type { Page } from 'playwright-core';

/** Every gap as one space: a narrow one would be invisible in an expectation. */
export const collapseSpaces = (text: string | null): string => (text ?? '').replace(/\s+/g, ' ').trim();

/** The cells of the table of that label, without its head. */
export async function readTable(page: Page, name: string): Promise<string[][]> {
  const table = page.getByRole('table', { name, exact: true });
  await table.waitFor();
  const rows = await table
    .locator('tbody:not(.spacer) tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('td')]
          .filter((cell) => cell.checkVisibility())
          .map((cell) => cell.innerText),
      ),
    );
  return rows.map((cells) => cells.map(collapseSpaces));
}
