// The params of a large tool call, parsed lazily from its line. While they are not needed, only the bytes are
// held: a tenth of the heap that nested values take, and nothing for the collector to trace.

import { fieldOf } from '../../core/observer/json-rpc.ts';
import { createUniqueArguments, OUTLINED_BYTES } from './outlined-message.ts';

/** Approximate heap bytes of a value in an object or array. */
const HEAP_BYTES_PER_VALUE = 48;

export interface LazyParamsOptions {
  readonly name: string;
  /** The whole line; it is retained, so it must not change. */
  readonly line: Uint8Array;
  /** Approximate number of values in the line. */
  readonly values: number;
}

export class LazyParams {
  readonly name: string;
  /** Length of the line in bytes, also after it was released. */
  readonly bytes: number;
  readonly #values: number;
  #line: Uint8Array | undefined;
  #parsed: WeakRef<object> | undefined;
  #placeholder: object | undefined;

  constructor({ name, line, values }: LazyParamsOptions) {
    this.name = name;
    this.bytes = line.length;
    this.#values = values;
    this.#line = line;
  }

  get arguments(): unknown {
    const params = this.#parsed?.deref() ?? this.#parse();
    if (params !== undefined) return fieldOf(params, 'arguments');
    this.#placeholder ??= createUniqueArguments();
    return this.#placeholder;
  }

  /** Approximate heap bytes of the parsed arguments; 0 where they cannot be parsed. */
  get heapBytes(): number {
    return this.#line === undefined ? 0 : this.bytes + this.#values * HEAP_BYTES_PER_VALUE;
  }

  /** Length of the line when its arguments are unknown; see `OUTLINED_BYTES`. */
  get [OUTLINED_BYTES](): number | undefined {
    return this.#line === undefined ? this.bytes : undefined;
  }

  /** Releases the line; its arguments are unknown afterwards. */
  release(): void {
    this.#line = undefined;
    this.#parsed = undefined;
  }

  #parse(): object | undefined {
    if (this.#line === undefined) return undefined;
    const params = parseParams(this.#line);
    if (params === undefined) this.release();
    else this.#parsed = new WeakRef(params);
    return params;
  }
}

/** Undefined for invalid JSON, because an outline can be read even then. */
function parseParams(line: Uint8Array): object | undefined {
  try {
    const params = fieldOf(parseJsonBytes(line), 'params');
    return typeof params === 'object' && params !== null ? params : undefined;
  } catch {
    return undefined;
  }
}

/** Parses bytes without copying them first. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}
