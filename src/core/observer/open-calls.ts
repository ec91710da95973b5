// The open requests of one direction of one connection. A Map keeps 1 and "1" apart; requests that share an
// open id are answered in order of arrival, as in both SDKs.

import type { RequestId } from './json-rpc.ts';
import type { OpenCall, SpanIds } from './observed-call.ts';

export class OpenCalls<Ids extends SpanIds> {
  readonly #byId = new Map<RequestId, OpenCall<Ids> | OpenCall<Ids>[]>();

  add(call: OpenCall<Ids>): void {
    const held = this.#byId.get(call.requestId);
    if (held === undefined) this.#byId.set(call.requestId, call);
    else if (Array.isArray(held)) held.push(call);
    else this.#byId.set(call.requestId, [held, call]);
  }

  /** The earliest open call with an id. */
  find(id: RequestId): OpenCall<Ids> | undefined {
    const held = this.#byId.get(id);
    return Array.isArray(held) ? held[0] : held;
  }

  remove(call: OpenCall<Ids>): boolean {
    const held = this.#byId.get(call.requestId);
    if (held === call) return this.#byId.delete(call.requestId);
    if (!Array.isArray(held) || !held.includes(call)) return false;
    const rest = held.filter((other) => other !== call);
    if (rest.length === 0) this.#byId.delete(call.requestId);
    else this.#byId.set(call.requestId, rest);
    return true;
  }

  /** The open call, if there is exactly one. */
  single(): OpenCall<Ids> | undefined {
    if (this.#byId.size !== 1) return undefined;
    const [held] = this.#byId.values();
    return Array.isArray(held) ? undefined : held;
  }

  all(): OpenCall<Ids>[] {
    return [...this.#byId.values()].flat();
  }
}
