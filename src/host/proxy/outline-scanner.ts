// The outline of a JSON-RPC message that is too long to be parsed: its id, method, tool and how it ended, read from its
// bytes as they come. Takes any JSON and keeps a few hundred bytes of it, however long or deep it is.

export interface Outline {
  readonly id?: string | number;
  readonly method?: string;
  /** `params.name`. */
  readonly name?: string;
  readonly hasParams: boolean;
  readonly hasResult: boolean;
  /** `result.isError`. */
  readonly isError: boolean;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface OutlineScanner {
  scan(piece: Uint8Array): void;
  /** What is known so far. */
  outline(): Outline;
  /** Values so far, roughly: what parsing costs goes by them more than by bytes. */
  readonly values: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Bytes that are kept of a name, an id or a message. */
const KEPT_BYTES = 512;

/** Creates a scanner at the start of a message. */
export function createOutlineScanner(): OutlineScanner {
  return new Scanner();
}

class Scanner implements OutlineScanner {
  values = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** The member that is being read, at depth 1 and 2; '' in a list and before the colon. */
  #outer = '';
  #inner = '';
  #isObject = [false, false, false];
  /** Bytes of the text or of the word that is being read, where it may be of interest. */
  #kept: number[] = [];
  #text: string | undefined;
  readonly #found: Record<string, string | undefined> = {};
  readonly #begun = new Set<string>();

  scan(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length) at = this.#isInText ? this.#scanText(piece, at) : this.#scanBytes(piece, at);
  }

  outline(): Outline {
    const id = parse(this.#found['id']);
    const method = parse(this.#found['method']);
    const name = parse(this.#found['params.name']);
    const code = parse(this.#found['error.code']);
    const message = parse(this.#found['error.message']);
    return {
      ...((typeof id === 'string' || typeof id === 'number') && { id }),
      ...(typeof method === 'string' && { method }),
      ...(typeof name === 'string' && { name }),
      hasParams: this.#begun.has('params'),
      hasResult: this.#begun.has('result'),
      isError: parse(this.#found['result.isError']) === true,
      ...(this.#begun.has('error') && {
        error: {
          code: typeof code === 'number' ? code : 0,
          message: typeof message === 'string' ? message : '',
        },
      }),
    };
  }

  /** Up to the end of the text, or of the piece. What is not kept is passed over by the next quote. */
  #scanText(piece: Uint8Array, from: number): number {
    let at = from;
    for (; at < piece.length && (this.#depth <= 2 || this.#isEscaped); at += 1) {
      const byte = piece[at] ?? 0;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) return this.#endText(at);
      if (this.#kept.length >= KEPT_BYTES) {
        at += 1;
        break;
      }
      if (this.#depth <= 2) this.#kept.push(byte);
    }
    return at >= piece.length ? at : this.#skipText(piece, at);
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
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (byte === QUOTE) {
        this.#isInText = true;
        this.#kept = [];
        return at + 1;
      }
      if (byte === COMMA) this.#separate();
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#open(byte === OPEN_BRACE);
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#close();
      else if (this.#depth <= 2) this.#keep(byte);
    }
    return piece.length;
  }

  #keep(byte: number): void {
    if (byte === COLON) this.#name();
    else if (byte > 0x20 && this.#kept.length < KEPT_BYTES && this.#text === undefined) this.#kept.push(byte);
  }

  #name(): void {
    const name = parse(this.#text);
    if (typeof name === 'string' && this.#isObject[this.#depth]) {
      if (this.#depth === 1) this.#outer = name;
      if (this.#depth === 2) this.#inner = name;
      if (this.#depth === 1) this.#begun.add(name.slice(0, 16));
    }
    this.#kept = [];
    this.#text = undefined;
  }

  #separate(): void {
    this.values += 1;
    if (this.#depth <= 2) this.#settle();
  }

  /** A member is over; what was read of it, if it was no list and no object, is its value. */
  #settle(): void {
    const value = this.#text ?? toText(this.#kept);
    const path = this.#depth === 1 ? this.#outer : `${this.#outer}.${this.#inner}`;
    if (value !== '' && WANTED.has(path)) this.#found[path] = value;
    if (this.#depth === 1) this.#outer = '';
    this.#inner = '';
    this.#kept = [];
    this.#text = undefined;
  }

  #open(isObject: boolean): void {
    this.values += 1;
    this.#depth += 1;
    if (this.#depth > 2) return;
    this.#isObject[this.#depth] = isObject;
    this.#kept = [];
    this.#text = undefined;
  }

  #close(): void {
    if (this.#depth <= 2) this.#settle();
    this.#depth -= 1;
    if (this.#depth > 2) return;
    // Of a list or an object nothing is a value; the member that holds it goes on until its comma.
    this.#kept = [];
    this.#text = undefined;
  }
}

const WANTED: ReadonlySet<string> = new Set([
  'id',
  'method',
  'params.name',
  'result.isError',
  'error.code',
  'error.message',
]);

function toText(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString();
}

/** A text whose end was not kept, or what is no JSON, is nothing. */
function parse(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
