// Extracts the outline of a message that is too long to parse: id, method, tool and outcome, read from its
// bytes as they arrive. Accepts any JSON and keeps a few hundred bytes, whatever its length or depth.

import { parseMessageTail } from './message-tail.ts';

export interface Outline {
  readonly id?: string | number;
  readonly method?: string;
  readonly name?: string;
  readonly hasParams: boolean;
  readonly hasResult: boolean;
  readonly isError: boolean;
  readonly error?: { readonly code: number; readonly message: string };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Bytes kept of a name, an id or a message. */
const MAX_KEPT_BYTES = 512;

/** A shorter string is scanned byte by byte: a search for its end costs as much as 50 bytes do (measured). */
const MAX_SHORT_TEXT_BYTES = 48;

export class OutlineScanner {
  /** Approximate number of values so far; parsing time depends on it more than on bytes. */
  values = 0;
  /** Whether a part of the outline exceeded the size limit. */
  isTruncated = false;
  /** Whether there is at most one `params`, with no members other than `name` and `arguments`. */
  isPlainCall = true;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** The current member at depth 1 and 2; '' in an array and before the colon. */
  #outer = '';
  #inner = '';
  #isObject = [false, false, false];
  /** Bytes of the current string or literal, if it may be relevant. */
  #kept: number[] = [];
  #text: string | undefined;
  readonly #values: Record<string, string | undefined> = {};
  readonly #seenMembers = new Set<string>();

  scan(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length) at = this.#isInText ? this.#scanText(piece, at) : this.#scanBytes(piece, at);
  }

  /** Scans the last bytes of a message whose middle was left out. The member it was left out of is the last large one. */
  scanTail(tail: Uint8Array): void {
    const { members, lastMembers } = parseMessageTail(tail);
    for (const [name, json] of members) this.#setValue(name, json);
    for (const [name, json] of lastMembers) this.#setValue(`${this.#outer}.${name}`, json);
  }

  #setValue(path: string, json: string): void {
    if (OUTLINE_PATHS.has(path)) this.#values[path] = json;
  }

  outline(): Outline {
    const id = parseJsonValue(this.#values['id']);
    const method = parseJsonValue(this.#values['method']);
    const name = parseJsonValue(this.#values['params.name']);
    const code = parseJsonValue(this.#values['error.code']);
    const message = parseJsonValue(this.#values['error.message']);
    return {
      ...((typeof id === 'string' || typeof id === 'number') && { id }),
      ...(typeof method === 'string' && { method }),
      ...(typeof name === 'string' && { name }),
      hasParams: this.#seenMembers.has('params'),
      hasResult: this.#seenMembers.has('result'),
      isError: parseJsonValue(this.#values['result.isError']) === true,
      ...(this.#seenMembers.has('error') && {
        error: {
          code: typeof code === 'number' ? code : 0,
          message: typeof message === 'string' ? message : '',
        },
      }),
    };
  }

  /** A string that is not kept is skipped by searching for its closing quote. */
  #scanText(piece: Uint8Array, from: number): number {
    let at = from;
    for (; at < piece.length && (this.#depth <= 2 || this.#isEscaped); at += 1) {
      const byte = piece[at] ?? 0;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) return this.#endText(at);
      if (!this.#keepTextByte(byte)) {
        at += 1;
        break;
      }
    }
    return at >= piece.length ? at : this.#skipText(piece, at);
  }

  /** @returns false when the limit is reached */
  #keepTextByte(byte: number): boolean {
    const isFull = this.#kept.length >= MAX_KEPT_BYTES;
    if (isFull && OUTLINE_PATHS.has(this.#path())) this.isTruncated = true;
    else if (!isFull && this.#depth <= 2) this.#kept.push(byte);
    return !isFull;
  }

  #skipText(piece: Uint8Array, from: number): number {
    if (this.#isEscaped) {
      this.#isEscaped = false;
      return from + 1;
    }
    const quote = piece.indexOf(QUOTE, from);
    const end = quote < 0 ? piece.length : quote;
    let slashes = 0;
    while (end - slashes > from && piece[end - slashes - 1] === BACKSLASH) slashes += 1;
    const isEscaped = slashes % 2 === 1;
    if (quote < 0) {
      this.#isEscaped = isEscaped;
      return end;
    }
    return isEscaped ? end + 1 : this.#endText(end);
  }

  #endText(at: number): number {
    this.#isInText = false;
    if (this.#depth <= 2) this.#text = `"${toText(this.#kept)}"`;
    return at + 1;
  }

  #scanBytes(piece: Uint8Array, from: number): number {
    if (this.#depth > 2) return this.#scanDeep(piece, from);
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (byte === QUOTE) {
        this.#isInText = true;
        this.#kept = [];
        return at + 1;
      }
      if (byte === COMMA) this.#separate();
      else if (isOpening(byte)) {
        this.#open(byte === OPEN_BRACE);
        if (this.#depth > 2) return at + 1;
      } else if (isClosing(byte)) this.#close();
      else this.#keep(byte);
    }
    return piece.length;
  }

  /** Scans nested values until the depth is relevant again; most bytes of a long message are read here. */
  #scanDeep(piece: Uint8Array, from: number): number {
    let depth = this.#depth;
    let values = 0;
    let at = from;
    // Single comparisons on local variables: a lookup table takes half as long again (measured).
    while (at < piece.length && depth > 2) {
      const byte = piece[at] ?? 0;
      at += 1;
      if (byte === QUOTE) {
        const end = findShortTextEnd(piece, at);
        this.#isInText = end < 0;
        if (end < 0) break;
        at = end;
      } else if (byte === COMMA) values += 1;
      else if (isOpening(byte)) {
        values += 1;
        depth += 1;
      } else if (isClosing(byte)) depth -= 1;
    }
    this.#depth = depth;
    this.values += values;
    this.#kept = [];
    this.#text = undefined;
    return at;
  }

  #keep(byte: number): void {
    if (byte === COLON) this.#endName();
    else if (byte > 0x20 && this.#kept.length < MAX_KEPT_BYTES && this.#text === undefined)
      this.#kept.push(byte);
  }

  #endName(): void {
    const name = parseJsonValue(this.#text);
    if (typeof name === 'string' && this.#isObject[this.#depth]) {
      if (this.#depth === 1) this.#outer = name;
      if (this.#depth === 2) this.#inner = name;
      if (this.#depth === 1) this.#beginMember(name);
      else if (this.#outer === 'params' && !PLAIN_CALL_FIELDS.has(name)) this.isPlainCall = false;
    }
    this.#kept = [];
    this.#text = undefined;
  }

  #beginMember(name: string): void {
    if (this.#seenMembers.has(name)) this.isPlainCall = false;
    this.#seenMembers.add(name.slice(0, 16));
  }

  #separate(): void {
    this.values += 1;
    if (this.#depth <= 2) this.#endMember();
  }

  /** Ends a member; unless it was an array or an object, what was read is its value. */
  #endMember(): void {
    const value = this.#text ?? toText(this.#kept);
    const path = this.#path();
    if (value !== '') this.#setValue(path, value);
    if (this.#depth === 1) this.#outer = '';
    this.#inner = '';
    this.#kept = [];
    this.#text = undefined;
  }

  #path(): string {
    return this.#depth === 1 ? this.#outer : `${this.#outer}.${this.#inner}`;
  }

  #open(isObject: boolean): void {
    this.values += 1;
    this.#depth += 1;
    this.#isObject[this.#depth] = isObject;
    this.#kept = [];
    this.#text = undefined;
  }

  #close(): void {
    if (this.#depth <= 2) this.#endMember();
    this.#depth -= 1;
    // Arrays and objects have no value here; their member continues until its comma.
    this.#kept = [];
    this.#text = undefined;
  }
}

const OUTLINE_PATHS: ReadonlySet<string> = new Set([
  'id',
  'method',
  'params.name',
  'result.isError',
  'error.code',
  'error.message',
]);

const PLAIN_CALL_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments']);

function isOpening(byte: number): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET;
}

function isClosing(byte: number): boolean {
  return byte === CLOSE_BRACE || byte === CLOSE_BRACKET;
}

/** @returns the position after a short string without escapes; -1 when it is not one, or not known yet */
function findShortTextEnd(piece: Uint8Array, from: number): number {
  const last = Math.min(piece.length, from + MAX_SHORT_TEXT_BYTES);
  for (let at = from; at < last; at += 1) {
    const byte = piece[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) return -1;
  }
  return -1;
}

function toText(bytes: readonly number[]): string {
  return bytes.every(isAscii) ? String.fromCharCode(...bytes) : Buffer.from(bytes).toString();
}

function isAscii(byte: number): boolean {
  return byte < 0x80;
}

/** Matches most strings, whose text between the quotes needs no unescaping. */
const PLAIN_TEXT = /^"[\w/.-]*"$/;

/** Undefined for a truncated string and for invalid JSON. */
function parseJsonValue(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  if (PLAIN_TEXT.test(json)) return json.slice(1, -1);
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
