// A round over several servers: one that cannot be looked at does not stop the others, and an end stops what has not begun.

import { describe, expect, test } from 'vitest';
import { runAdviceRound } from '../../../src/service/questions/advice-round.ts';
import type { StoreReader } from '../../../src/service/questions/ports.ts';

/** A store that knows the names of servers and nothing else of them. */
function storeOf(servers: readonly string[], { broken = '', onRead = (_: string): void => undefined }) {
  const store: StoreReader = {
    async query<Row>({ sql, params = {} }: { readonly sql: string; readonly params?: object }) {
      const asked = new Map(Object.entries(params)).get('server');
      if (!sql.includes('SELECT DISTINCT server_name')) {
        if (typeof asked === 'string') onRead(asked);
        if (asked === broken) throw new Error('gone away');
        return [];
      }
      // The only read that has rows here is the one of names.
      return servers.map((server) => ({ server })) as Row[];
    },
  };
  return store;
}

const NOW = 1_794_873_600_000;
const run = (store: StoreReader, ending = new AbortController().signal) => {
  const writer = { insert: async () => undefined };
  return runAdviceRound({ asking: { store, writer, nowMs: NOW, rawDays: 30 }, ending });
};

describe('a round', () => {
  test('looks at every server, and counts those that it could not', async () => {
    const read = new Set<string>();
    const store = storeOf(['billing', 'shop', 'tickets'], {
      broken: 'shop',
      onRead: (name) => read.add(name),
    });
    expect(await run(store)).toEqual({ servers: 3, failed: 1, findings: 0 });
    expect([...read]).toEqual(['billing', 'shop', 'tickets']);
  });

  test('begins no other server once the service ends', async () => {
    const ending = new AbortController();
    const read = new Set<string>();
    const store = storeOf(['billing', 'shop'], {
      onRead(name) {
        read.add(name);
        ending.abort();
      },
    });
    expect(await run(store, ending.signal)).toEqual({ servers: 2, failed: 0, findings: 0 });
    expect([...read]).toEqual(['billing']);
  });

  test('fails where not even the servers are named', async () => {
    const store: StoreReader = {
      async query() {
        throw new Error('gone away');
      },
    };
    await expect(run(store)).rejects.toThrow('gone away');
  });
});
