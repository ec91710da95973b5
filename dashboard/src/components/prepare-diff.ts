// Compares two JSON values line by line, with a few unchanged lines of context. Keys are sorted, so that a
// different key order is not a change.

export interface DiffLine {
  readonly sign: '+' | '-' | ' ' | '…';
  readonly text: string;
}

/** Unchanged lines on either side of a change. */
const CONTEXT_LINES = 2;
/** Longer inputs are not compared line by line, because the table of common lengths would be too large. */
const MAX_LINES = 1_200;

function toLines(value: unknown): string[] {
  return value === undefined ? [] : (JSON.stringify(sortKeys(value), null, 2) ?? '').split('\n');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

/**
 * Empty for equal values.
 *
 * @param before undefined when there was no value
 */
export function prepareDiff(before: unknown, after: unknown): DiffLine[] {
  const [old, now] = [toLines(before), toLines(after)];
  if (old.join('\n') === now.join('\n')) return [];
  if (old.length > MAX_LINES || now.length > MAX_LINES) {
    return [
      ...old.map((text) => ({ sign: '-', text }) as const),
      ...now.map((text) => ({ sign: '+', text }) as const),
    ];
  }
  return collapseContext(diffLines(old, now));
}

/** Lengths of the longest common subsequences of the remaining lines, from a row and a column onwards. */
function toCommonLengths(
  old: readonly string[],
  now: readonly string[],
): (row: number, column: number) => number {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const longest = Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row * width + column] = old[row] === now[column] ? at(row + 1, column + 1) + 1 : longest;
    }
  }
  return at;
}

function diffLines(old: readonly string[], now: readonly string[]): DiffLine[] {
  const common = toCommonLengths(old, now);
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < now.length) {
    const [left = '', right = ''] = [old[row], now[column]];
    if (left === right) {
      lines.push({ sign: ' ', text: left });
      row += 1;
      column += 1;
    } else if (common(row + 1, column) >= common(row, column + 1)) {
      lines.push({ sign: '-', text: left });
      row += 1;
    } else {
      lines.push({ sign: '+', text: right });
      column += 1;
    }
  }
  const went = old.slice(row).map((text): DiffLine => ({ sign: '-', text }));
  const came = now.slice(column).map((text): DiffLine => ({ sign: '+', text }));
  return [...lines, ...went, ...came];
}

function collapseContext(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(({ sign }) => sign !== ' ');
  return lines.flatMap((line, at): DiffLine[] => {
    if (isNear(at)) return [line];
    return at > 0 && !isNear(at - 1) ? [] : [{ sign: '…', text: '' }];
  });
}
