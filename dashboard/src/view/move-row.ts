// Keys that move between the rows of a page and collapse an expanded one. A row is focused by its first link
// or button, so that Enter does what a click does.

const FOCUSABLE = 'a[href], button:not(:disabled), summary';
const ROW_SELECTOR = 'main tbody > tr, main .loop-cards > li, main .changes > li';

function isVisible(element: HTMLElement): boolean {
  return element.checkVisibility() && element.closest('.spacer, dialog, [popover]') === null;
}

/** @param containing selector that rows must contain */
function findRows(containing?: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(ROW_SELECTOR)].filter(
    (row) =>
      isVisible(row) &&
      row.querySelector(FOCUSABLE) !== null &&
      (containing === undefined ||
        row.contains(document.activeElement) ||
        row.querySelector(containing) !== null),
  );
}

/**
 * Moves the focus by one row; from outside any row to the first, or backwards to the last.
 *
 * @param containing selector that rows must contain
 */
export function moveRow(by: -1 | 1, containing?: string): void {
  const rows = findRows(containing);
  const at = rows.findLastIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? (by === 1 ? rows[0] : rows.at(-1)) : rows[at + by];
  const focusable = next?.querySelector<HTMLElement>(FOCUSABLE);
  focusable?.focus();
  focusable?.scrollIntoView({ block: 'nearest' });
}

/** Collapses this row, or else the nearest expanded row before it, and focuses it. */
export function collapseRow(): void {
  const open = [...document.querySelectorAll<HTMLElement>('main [aria-expanded="true"]')].filter(isVisible);
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
