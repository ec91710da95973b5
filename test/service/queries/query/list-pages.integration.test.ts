// Lists of names in pages: what a flood of names would make one answer of.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../../src/contract/queries.ts';
import { UserError } from '../../../../src/errors.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { createSeededCall, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';

const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * 60_000;
const RANGE = { fromMs: NOW - HOUR, toMs: NOW };
const SERVERS = 1_203;
const NAMES = Array.from({ length: SERVERS }, (_, at) => `server-${String(at).padStart(4, '0')}`);

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness });
  const calls = NAMES.map((server_name) =>
    toStoredRow(
      createSeededCall({
        ...{ startedUs: (NOW - HOUR / 2) * 1_000, server_name, tool_name: 'read' },
        ...{ outcome: 'tool_error', fault: 'server', error_code: 'BROKEN' },
      }),
    ),
  );
  await insertRows(engine.store, 'calls', calls);
  const listings = NAMES.map((server_name, at) => ({
    ...{ server_name, server_version: '1', environment: 'production', listed_at: (NOW - HOUR) * 1_000 },
    ...{ origin: 'list', catalogue_hash: 'a', tool_name: 'idle', definition: '{}', definition_hash: '1' },
    ...{ trace_id: String(at), span_id: 'b' },
  }));
  await insertRows(engine.store, 'tool_listings', listings);
});

afterAll(() => engine.stop());

interface Page {
  readonly servers: readonly string[];
  readonly nextCursor?: string | undefined;
}
type ReadPage = (page: { readonly limit?: number; readonly cursor?: string }) => Promise<Page>;

const serversOf = (rows: readonly { readonly server: string }[]) => rows.map(({ server }) => server);
const LISTS: readonly { readonly list: string; readonly ask: ReadPage }[] = [
  {
    list: 'servers',
    ask: async (page) => {
      const { servers, nextCursor } = await queries.servers({ range: RANGE, ...page });
      return { servers: serversOf(servers), nextCursor };
    },
  },
  {
    list: 'tools',
    ask: async (page) => {
      const { tools, nextCursor } = await queries.tools({ range: RANGE, ...page });
      return { servers: serversOf(tools), nextCursor };
    },
  },
  {
    list: 'errors',
    ask: async (page) => {
      const { errors, nextCursor } = await queries.errors({ range: RANGE, ...page });
      return { servers: serversOf(errors), nextCursor };
    },
  },
  {
    list: 'never-called tools',
    ask: async (page) => {
      const { tools, nextCursor } = await queries.neverCalled({ range: RANGE, ...page });
      return { servers: serversOf(tools), nextCursor };
    },
  },
];

async function readPages(ask: ReadPage, limit?: number): Promise<number[]> {
  const sizes: number[] = [];
  const all: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask({ ...(limit && { limit }), ...(cursor && { cursor }) });
    sizes.push(page.servers.length);
    all.push(...page.servers);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  // Each of them once.
  expect(all.sort()).toEqual(NAMES);
  return sizes;
}

describe.each(LISTS)('list of $list', ({ ask }) => {
  test('a page of the list has a thousand rows, and the next one has the rest', async () => {
    expect(await readPages(ask)).toEqual([1_000, SERVERS - 1_000]);
  });

  test('a page of the list has as many rows as requested', async () => {
    expect(await readPages(ask, 401)).toEqual([401, 401, 401]);
  });

  test('the list refuses a cursor of another list', async () => {
    const foreign = Buffer.from(JSON.stringify(['calls', 0, 1, 5])).toString('base64url');
    await expect(ask({ cursor: foreign })).rejects.toThrow(UserError);
  });
});
