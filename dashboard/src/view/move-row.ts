// Keys that walk through the rows of a page: to the next or the one before, and out of what is folded open. A row is
// held by its first link or button, so that Enter does what a click there does.

const HOLDS = 'a[href], button:not(:disabled), summary';
const ROWS = 'main tbody > tr, main .loop-cards > li, main .changes > li';

function isSeen(element: HTMLElement): boolean {
  return element.checkVisibility() && element.closest('.spacer, dialog, [popover]') === null;
}

/** Rows that can be held. @param having what is in them */
function findRows(having?: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(ROWS)].filter(
    (row) =>
      isSeen(row) &&
      row.querySelector(HOLDS) !== null &&
      (having === undefined || row.contains(document.activeElement) || row.querySelector(having) !== null),
  );
}

/**
 * Moves the focus by one row; from outside any row to the first, or backwards to the last.
 *
 * @param having only rows with that in them
 */
export function moveRow(by: -1 | 1, having?: string): void {
  const rows = findRows(having);
  const at = rows.findLastIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? (by === 1 ? rows[0] : rows.at(-1)) : rows[at + by];
  const hold = next?.querySelector<HTMLElement>(HOLDS);
  hold?.focus();
  hold?.scrollIntoView({ block: 'nearest' });
}

/** Folds in what is open in this row, or else in the nearest row before it, and holds that. */
export function foldRow(): void {
  const open = [...document.querySelectorAll<HTMLElement>('main [aria-expanded="true"]')].filter(isSeen);
  const here = document.activeElement;
  const nearest = open.findLast(
    (button) =>
      here === null ||
      here === document.body ||
      button === here ||
      (button.compareDocumentPosition(here) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
  nearest?.click();
  nearest?.focus();
}
