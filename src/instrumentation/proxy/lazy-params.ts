// The params of a large tool call as its line has them. The arguments are parsed when somebody asks for them; until then, and
// again once nobody holds them, they are bytes: a tenth of what nested values take in the heap, and nothing to collect.

import { fieldOf } from '../../core/observer/json-rpc.ts';
import { createUniqueArguments, OUTLINED_BYTES } from './outlined-message.ts';

/** Heap bytes of a value of which an object or a list is made, about. */
const HEAP_BYTES_PER_VALUE = 48;

export interface LazyParamsOptions {
  readonly name: string;
  /** The whole line; kept, so it must not change. */
  readonly line: Uint8Array;
  /** Values in the line, roughly. */
  readonly values: number;
}

export class LazyParams {
  readonly name: string;
  /** Bytes of the line, whether or not they are still there. */
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

  /** Heap bytes that the arguments take once they are parsed, about; 0 where they cannot be. */
  get heapBytes(): number {
    return this.#line === undefined ? 0 : this.bytes + this.#values * HEAP_BYTES_PER_VALUE;
  }

  /** The bytes of the line, where its arguments are not known: see `OUTLINED_BYTES`. */
  get [OUTLINED_BYTES](): number | undefined {
    return this.#line === undefined ? this.bytes : undefined;
  }

  /** Lets go of the line: its arguments are not known any more. */
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

/** Undefined for what is no JSON: an outline can be read of many a thing. */
function parseParams(line: Uint8Array): object | undefined {
  try {
    const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString();
    const params = fieldOf(JSON.parse(text), 'params');
    return typeof params === 'object' && params !== null ? params : undefined;
  } catch {
    return undefined;
  }
}
