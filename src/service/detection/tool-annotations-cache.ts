// Caches tool annotations per server and refreshes them after a while: they change with a deployment, not
// with a call.

import type { LoopCall } from '../../core/loops/loop-call.ts';
import type { ToolAnnotations } from '../../core/model/catalogue.ts';
import type { DetectionStore } from './detection-store.ts';

const MAX_AGE_MS = 60_000;
const MAX_SERVERS = 1_000;

export class ToolAnnotationsCache {
  readonly #store: Pick<DetectionStore, 'readToolAnnotations'>;
  readonly #servers = new Map<
    string,
    { readonly atMs: number; readonly tools: ReadonlyMap<string, ToolAnnotations> }
  >();

  constructor(store: Pick<DetectionStore, 'readToolAnnotations'>) {
    this.#store = store;
  }

  /** Loads the annotations of these servers if needed. Rejects as the store does. */
  async refresh(servers: Iterable<string>, nowMs: number): Promise<void> {
    for (const server of new Set(servers)) {
      const known = this.#servers.get(server);
      if (known && nowMs - known.atMs < MAX_AGE_MS) continue;
      if (this.#servers.size >= MAX_SERVERS) this.#servers.clear();
      this.#servers.set(server, { atMs: nowMs, tools: await this.#store.readToolAnnotations(server) });
    }
  }

  /** @returns the call with its tool's annotations, if there are any */
  annotate(call: LoopCall): LoopCall {
    const annotations = this.#servers.get(call.serverName)?.tools.get(call.toolName);
    return annotations === undefined ? call : { ...call, annotations };
  }
}
