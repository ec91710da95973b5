// Shortens long ids in the middle, because people compare both ends of an id.

/**
 * Shortens a text in the middle.
 *
 * @param id the whole id; the caller keeps it for the title and the copy button
 * @param length maximum number of characters, including the ellipsis
 */
export function truncateMiddle(id: string, length = 14): string {
  if (id.length <= length) return id;
  const tail = Math.floor((length - 1) / 2.5);
  return `${id.slice(0, length - 1 - tail)}…${id.slice(-tail)}`;
}
