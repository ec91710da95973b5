// Compares the shapes of two calls, one row per key. A shape contains types and lengths, never values: equal
// shapes may stand for different values, and only fingerprints can tell.

/** `alike`: equal shapes whose values cannot be compared. */
export type ShapeState = 'same' | 'changed' | 'added' | 'removed' | 'alike';

export interface ShapeRow {
  /** Empty when the shape is not an object. */
  readonly name: string;
  readonly before: string | undefined;
  readonly now: string | undefined;
  readonly state: ShapeState;
}

interface BeforeAfter<T> {
  readonly previous: T;
  readonly now: T;
}

/**
 * @param shapes as stored; a shape that is not valid JSON (truncated at its size limit) becomes one unchanged
 * row
 * @param options.fingerprints of each top-level key, if available
 * @param options.isSame whether the values are known to be equal as a whole
 */
export function compareShapes(
  shapes: BeforeAfter<string>,
  {
    fingerprints,
    isSame,
  }: { readonly fingerprints?: BeforeAfter<Readonly<Record<string, string>>>; readonly isSame: boolean },
): ShapeRow[] {
  const [before, now] = [parseShapeKeys(shapes.previous), parseShapeKeys(shapes.now)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.map((name): ShapeRow => {
    const row = { name, before: before[name], now: now[name] };
    return { ...row, state: isSame ? 'same' : compareShapeState(row, fingerprints) };
  });
}

function compareShapeState(
  { name, before, now }: Omit<ShapeRow, 'state'>,
  fingerprints: BeforeAfter<Readonly<Record<string, string>>> | undefined,
): ShapeState {
  if (before === undefined) return 'added';
  if (now === undefined) return 'removed';
  const [was, is] = [fingerprints?.previous[name], fingerprints?.now[name]];
  if (was && is) return was === is ? 'same' : 'changed';
  return before === now ? 'alike' : 'changed';
}

/** Each key with its shape as short text. */
function parseShapeKeys(shape: string): Readonly<Record<string, string>> {
  if (shape === '') return {};
  try {
    const value: unknown = JSON.parse(shape);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { '': formatShape(value) };
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, formatShape(inner)]));
  } catch {
    return { '': shape };
  }
}

/** `string:12` → "text of 12", `=open` → "open", `[3,"int"]` → "3 × int"; nested shapes in braces. */
export function formatShape(value: unknown): string {
  if (typeof value === 'string') return formatShapeWord(value);
  if (Array.isArray(value)) {
    const [length, ...items] = value;
    if (typeof length !== 'number') return `[${value.map(formatShape).join(', ')}]`;
    return items.length === 0 ? `${length} items` : `${length} × ${items.map(formatShape).join(' | ')}`;
  }
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, inner]) => `${name}: ${formatShape(inner)}`)
      .join(', ')} }`;
  return String(value);
}

function formatShapeWord(word: string): string {
  const [, kind, length] = /^(string|array|object)[:(](\d+)\)?$/.exec(word) ?? [];
  if (kind === 'string') return `text of ${length}`;
  if (kind === 'array') return `${length} items`;
  if (kind === 'object') return `object of ${length}`;
  if (word.startsWith('int:')) return word === 'int:0' ? '0' : 'above 0';
  return word.replace(/^=/, '');
}
