// The shape of a value: what it is made of, not what it says. A string is its length, a number its type; only a
// boolean and a value that the schema itself lists, or has as its default, are said. Keys that nobody declared are
// classed, see name-class.ts.
import { declaresJson, declaresValue, itemPlace, type Place, placeOf, propertyPlace } from './declared.ts';
import { holdsJson } from './json-text.ts';
import { nameOrClass } from './name-class.ts';
import { namesOf } from './names.ts';

/** UTF-16 units of the JSON text. */
export const SHAPE_LIMIT = 2048;
/** Enum values longer than this are described, not said. */
const ENUM_LIMIT = 64;
/** Array items looked at; `[12, …]` still tells the true length. */
const ITEM_LIMIT = 20;

/** The shape of what is too large to describe. */
export const TOO_LARGE_SHAPE = '"large"';

interface Bounds {
  readonly depth: number;
  readonly keys: number;
  readonly itemShapes: number;
}

/** Tried in turn until the text fits. */
const BOUNDS: readonly Bounds[] = [
  { depth: 6, keys: 40, itemShapes: 3 },
  { depth: 3, keys: 20, itemShapes: 1 },
  { depth: 1, keys: 16, itemShapes: 1 },
];

/**
 * Shape of a value as JSON text of at most 2 kB. Strings are `"string:12"` (UTF-16 units), numbers `"int"` or
 * `"number"`, `null` is `"null"`, booleans themselves, declared enum, const and default values `"=value"`, a string
 * that holds JSON where the schema expects such `"json:12"`; an array is its
 * length and then its distinct item shapes, `[3,"int"]`; an object keeps its keys, and `"…"` counts those left out.
 * @param schema JSON Schema of the value, if there is one.
 */
export function shapeOf(value: unknown, schema?: unknown): string {
  const place = placeOf(schema);
  for (const bounds of BOUNDS) {
    const text = JSON.stringify(describe(value, place, bounds));
    if (text.length <= SHAPE_LIMIT) return text;
  }
  return TOO_LARGE_SHAPE;
}

/** Names before colons, and the few words that a shape says of a value; each begins in its own way. */
const SHAPE_TEXT =
  /^(?:[{}[\],\d]|true|false|"(?:[^"\\]|\\.){0,200}":|"(?:string:\d{1,12}|json:\d{1,12}|int|number|null|large|array:\d{1,12}|object:\d{1,12}|=(?:[^"\\]|\\.){0,200})")*$/;

/** Whether a text reads as `shapeOf` writes: names and types, lengths, and no other value. */
export function isShapeText(text: string): boolean {
  return SHAPE_TEXT.test(text);
}

function describe(value: unknown, place: Place, bounds: Bounds): unknown {
  if (typeof value === 'boolean') return value;
  if (isSayable(value) && declaresValue(place, value)) return `=${value}`;
  switch (typeof value) {
    case 'string':
      return `${declaresJson(place) && holdsJson(value) ? 'json' : 'string'}:${value.length}`;
    case 'number':
      return Number.isInteger(value) ? 'int' : 'number';
    case 'bigint':
      return 'int';
    case 'object':
      return value === null ? 'null' : describeObject(value, place, bounds);
    default:
      return 'null';
  }
}

function isSayable(value: unknown): value is string | number {
  return (typeof value === 'string' && value.length <= ENUM_LIMIT) || typeof value === 'number';
}

function describeObject(value: object, place: Place, bounds: Bounds): unknown {
  const below = { ...bounds, depth: bounds.depth - 1 };
  if (Array.isArray(value)) {
    if (bounds.depth === 0) return `array:${value.length}`;
    // Spread, because `map` leaves the holes of a sparse list.
    const items = [...value.slice(0, ITEM_LIMIT)].map((item) => describe(item, itemPlace(place), below));
    return [value.length, ...distinct(items).slice(0, bounds.itemShapes)];
  }
  const { count, first } = namesOf(value);
  if (bounds.depth === 0) return `object:${count}`;
  const shape: Record<string, unknown> = {};
  for (const name of first.slice(0, bounds.keys))
    shape[nameOrClass(name, place)] ??= describe(readKey(value, name), propertyPlace(place, name), below);
  return count > bounds.keys ? { ...shape, '…': count - bounds.keys } : shape;
}

function distinct(shapes: readonly unknown[]): unknown[] {
  const seen = new Map(shapes.map((shape) => [JSON.stringify(shape), shape]));
  return [...seen.values()];
}

function readKey(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    // A getter of the host threw; its value stays unknown.
    return null;
  }
}
