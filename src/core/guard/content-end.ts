// Finds where a text can be inserted into a JSON-RPC response that is still bytes. Parsing and serialising it
// would change what is not ours (1.0, 20-digit numbers, escapes, white space), so all other bytes stay
// unchanged.

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number | undefined> = new Set([BRACE, BRACKET]);
const CLOSING: ReadonlySet<number | undefined> = new Set([0x7d, 0x5d]);
const WHITE_SPACE: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

export interface ContentEnd {
  /** Position of the bracket that closes the list. */
  readonly at: number;
  readonly isEmpty: boolean;
}

/**
 * Finds the end of the list at `result.content`.
 *
 * @param json valid JSON as UTF-8, with optional surrounding white space.
 * @returns undefined if there is no such list, or if a name on the path is duplicated: parsers differ in
 *   which one counts.
 */
export function findContentEnd(json: Uint8Array): ContentEnd | undefined {
  const result = findMember(json, skipSpace(json, 0), 'result');
  const content = result === undefined ? undefined : findMember(json, result, 'content');
  if (content === undefined || json[content] !== BRACKET) return undefined;
  const at = skipValue(json, content) - 1;
  return { at, isEmpty: skipSpace(json, content + 1) === at };
}

/** Finds the start of the value of an object's only member with that name. */
function findMember(json: Uint8Array, start: number, name: string): number | undefined {
  if (json[start] !== BRACE) return undefined;
  let found: number | undefined;
  let at = skipSpace(json, start + 1);
  while (json[at] === QUOTE) {
    const keyEnd = skipText(json, at);
    const isMatch = JSON.parse(decode(json.subarray(at, keyEnd))) === name;
    const value = skipSpace(json, skipSpace(json, keyEnd) + 1);
    if (isMatch && found !== undefined) return undefined;
    if (isMatch) found = value;
    at = skipSpace(json, skipValue(json, value));
    if (json[at] === COMMA) at = skipSpace(json, at + 1);
  }
  return found;
}

function skipValue(json: Uint8Array, start: number): number {
  if (json[start] === QUOTE) return skipText(json, start);
  if (OPENING.has(json[start])) return skipContainer(json, start);
  let at = start;
  while (at < json.length && json[at] !== COMMA && !CLOSING.has(json[at])) at += 1;
  return at;
}

function skipContainer(json: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const byte = json[at];
    if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    at = byte === QUOTE ? skipText(json, at) : at + 1;
  } while (depth > 0 && at < json.length);
  return at;
}

/** A quote after an even number of backslashes ends a string. */
function skipText(json: Uint8Array, start: number): number {
  let end = json.indexOf(QUOTE, start + 1);
  while (end >= 0) {
    let before = end - 1;
    while (json[before] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
    end = json.indexOf(QUOTE, end + 1);
  }
  return json.length;
}

function skipSpace(json: Uint8Array, start: number): number {
  let at = start;
  while (WHITE_SPACE.has(json[at])) at += 1;
  return at;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
