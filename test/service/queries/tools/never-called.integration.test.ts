// Never-called tools: what was listed against what was called, over listings as the ingest stores them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../../src/contract/queries.ts';
import { NeverCalledResponse } from '../../../../src/contract/tools.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import {
  createSeededCall,
  type SeededCall,
  toColumnTime,
  toStoredRow,
} from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';

const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * 60_000;
const RANGE = { fromMs: NOW - 24 * HOUR, toMs: NOW };

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness });
});

afterAll(() => engine.stop());

interface Listing {
  readonly server: string;
  readonly environment?: string;
  readonly hoursAgo: number;
  readonly origin?: 'list' | 'start';
  /** Name, and length of the definition. */
  readonly tools: Readonly<Record<string, number>>;
}

/** Stored with the next question: an insert into the calls takes a tenth of a second, however few they are. */
const pendingRows: Record<'tool_listings' | 'calls', object[]> = { tool_listings: [], calls: [] };

async function storePending(): Promise<void> {
  for (const table of ['tool_listings', 'calls'] as const) {
    const rows = pendingRows[table].splice(0);
    if (rows.length > 0) await insertRows(engine.store, table, rows);
  }
}

/** Of the definitions, as that of a server is. */
const catalogueHashOf = (tools: Listing['tools']): string =>
  Object.entries(tools)
    .map(([name, length]) => `${name} ${length}`)
    .join();

function listTools({ server, environment = 'production', hoursAgo, origin = 'list', tools }: Listing): void {
  const listed_at = toColumnTime((NOW - hoursAgo * HOUR) * 1_000);
  const rows = Object.entries(tools).map(([tool_name, length]) => ({
    server_name: server,
    server_version: '1.0.0',
    environment,
    listed_at,
    origin,
    catalogue_hash: catalogueHashOf(tools),
    tool_name,
    definition: 'é'.repeat(length),
    definition_hash: String(length),
    trace_id: 'a',
    span_id: 'b',
  }));
  pendingRows.tool_listings.push(...rows);
}

function call(server_name: string, tool_name: string, over: Partial<SeededCall> = {}, times = 1): void {
  const make = () =>
    toStoredRow(createSeededCall({ startedUs: (NOW - HOUR) * 1_000, server_name, tool_name, ...over }));
  pendingRows.calls.push(...Array.from({ length: times }, make));
}

async function getNeverCalled(filters: object): Promise<NeverCalledResponse> {
  await storePending();
  return NeverCalledResponse.parse(await queries.neverCalled({ range: RANGE, ...filters }));
}
const namesOf = async (filters: object) =>
  (await getNeverCalled(filters)).tools.map(({ tool }) => tool).sort();

describe('never-called tools', () => {
  test('the never-called tools are the uncalled ones of the newest catalogue, the most expensive first', async () => {
    listTools({
      server: 'notes',
      hoursAgo: 5,
      origin: 'start',
      tools: { used: 10, small: 9, large: 400 },
    });
    listTools({ server: 'notes', hoursAgo: 3, tools: { used: 10, small: 9, large: 401 } });
    listTools({ server: 'notes', hoursAgo: 2, tools: { used: 10, small: 9, large: 401 } });
    call('notes', 'used');
    const at = (hoursAgo: number) => `${toColumnTime((NOW - hoursAgo * HOUR) * 1_000).replace(' ', 'T')}Z`;
    expect(await getNeverCalled({ server: 'notes' })).toEqual({
      tools: [
        {
          server: 'notes',
          tool: 'large',
          firstSeenAt: at(5),
          lastListedAt: at(2),
          listings: 2,
          sessions: 0,
          similarTo: null,
          definitionTokens: 101,
        },
        {
          server: 'notes',
          tool: 'small',
          firstSeenAt: at(5),
          lastListedAt: at(2),
          listings: 2,
          sessions: 0,
          similarTo: null,
          definitionTokens: 3,
        },
      ],
      unknownCatalogues: [],
    });
    expect(await namesOf({ server: 'notes', tool: 'small' })).toEqual(['small']);
  });

  test('the never-called tools exclude a tool missing from the newest catalogue', async () => {
    listTools({ server: 'shrunk', hoursAgo: 4, tools: { kept: 8, retired: 8 } });
    listTools({ server: 'shrunk', hoursAgo: 1, tools: { kept: 8 } });
    expect(await namesOf({ server: 'shrunk' })).toEqual(['kept']);
  });

  test.each<[boolean, string, Partial<SeededCall>]>([
    [false, 'failed', { outcome: 'tool_error', fault: 'server' }],
    [false, 'was made long before the range', { startedUs: (NOW - 20 * 24 * HOUR) * 1_000 }],
    [true, 'was only an interim round', { outcome: 'input_required' }],
    [true, 'was another method', { method: 'prompts/get' }],
    [true, 'was made by the server itself', { side: 'client' }],
  ])('the tool counts as never called: %s, because its only call %s', async (isThere, because, over) => {
    listTools({ server: because, hoursAgo: 1, tools: { tool: 8 } });
    call(because, 'tool', over);
    expect(await namesOf({ server: because })).toEqual(isThere ? ['tool'] : []);
  });

  test('a never-called tool has the number of tools/list responses and of sessions that offered it', async () => {
    const first = { early: 8, kept: 8, used: 8 };
    const second = { kept: 8, used: 8 };
    listTools({ server: 'offered', hoursAgo: 9, tools: first });
    listTools({ server: 'offered', hoursAgo: 5, tools: second });
    call('offered', 'used');
    const answer = (tools: Listing['tools'], session_id: string, over: Partial<SeededCall> = {}) => {
      const catalogue = { catalogue_hash: catalogueHashOf(tools) };
      call('offered', '', { method: 'tools/list', ...catalogue, session_id, ...over });
    };
    for (const session of ['one', 'two', 'two']) answer(first, session);
    for (const session of ['two', 'three', 'four', '']) answer(second, session);
    // Of a server whose catalogue was unknown, of a client's own tools, and in another environment.
    answer({}, 'five');
    answer(second, 'six', { side: 'client' });
    answer(second, 'seven', { environment: 'staging' });
    const { tools } = await getNeverCalled({ server: 'offered', environment: 'production' });
    expect(tools).toMatchObject([{ tool: 'kept', listings: 7, sessions: 4 }]);
    expect((await getNeverCalled({ server: 'offered' })).tools).toMatchObject([{ listings: 8, sessions: 5 }]);
  });

  test('a never-called tool names a similar tool, preferring one that is called', async () => {
    const define = (name: string, description: string) => ({ name, description, inputSchema: {} });
    const tools = [
      define('find_notes', 'Finds notes of the archive by their title and tags.'),
      define('search_notes', 'Finds notes of the archive by their title and tags.'),
      define('look_up_notes', 'Finds notes of the archive by their title and tags.'),
      define('export_backup', 'Writes a file.'),
    ];
    const rows = tools.map((definition, at) => ({
      server_name: 'alike',
      server_version: '1.0.0',
      environment: 'production',
      listed_at: toColumnTime((NOW - HOUR) * 1_000),
      origin: 'list',
      catalogue_hash: 'alike',
      tool_name: definition.name,
      definition: JSON.stringify(definition),
      definition_hash: String(at + 1),
      trace_id: 'a',
      span_id: 'b',
    }));
    pendingRows.tool_listings.push(...rows);
    call('alike', 'search_notes');
    const answer = await getNeverCalled({ server: 'alike' });
    expect(Object.fromEntries(answer.tools.map(({ tool, similarTo }) => [tool, similarTo]))).toEqual({
      find_notes: 'search_notes',
      look_up_notes: 'search_notes',
      export_backup: null,
    });
    expect((await getNeverCalled({ server: 'alike', tool: 'find_notes' })).tools).toMatchObject([
      { tool: 'find_notes', similarTo: 'search_notes' },
    ]);
  });

  test('the never-called tools are those of one environment if one is selected', async () => {
    listTools({ server: 'two', environment: 'staging', hoursAgo: 2, tools: { a: 8, b: 8 } });
    listTools({ server: 'two', environment: 'production', hoursAgo: 2, tools: { a: 8, b: 8 } });
    call('two', 'a', { environment: 'staging' });
    expect(await namesOf({ server: 'two' })).toEqual(['b']);
    expect(await namesOf({ server: 'two', environment: 'staging' })).toEqual(['b']);
    expect(await namesOf({ server: 'two', environment: 'production' })).toEqual(['a', 'b']);
    expect(await getNeverCalled({ server: 'two', environment: 'nowhere' })).toEqual({
      tools: [],
      unknownCatalogues: [],
    });
  });

  test('the never-called tools use the catalogue of each environment when they list different versions', async () => {
    listTools({
      server: 'flapping',
      environment: 'staging',
      hoursAgo: 4,
      tools: { shared: 8, young: 12, gone: 8 },
    });
    for (const hoursAgo of [3, 1])
      listTools({
        server: 'flapping',
        environment: 'production',
        hoursAgo,
        tools: { shared: 8, old: 8 },
      });
    listTools({
      server: 'flapping',
      environment: 'staging',
      hoursAgo: 2,
      tools: { shared: 9, young: 12 },
    });
    expect(await namesOf({ server: 'flapping' })).toEqual(['old', 'shared', 'young']);
    expect(await namesOf({ server: 'flapping', environment: 'production' })).toEqual(['old', 'shared']);
    expect(await namesOf({ server: 'flapping', environment: 'staging' })).toEqual(['shared', 'young']);
    const { tools } = await getNeverCalled({ server: 'flapping' });
    expect(Object.fromEntries(tools.map(({ tool, listings }) => [tool, listings]))).toEqual({
      old: 2,
      shared: 4,
      young: 2,
    });
  });

  test('the catalogue is unknown, not empty, for a server that was called but never listed its tools', async () => {
    call('silent', 'tool');
    expect(await getNeverCalled({ server: 'silent' })).toEqual({ tools: [], unknownCatalogues: ['silent'] });
    expect((await getNeverCalled({})).unknownCatalogues).toEqual(['silent']);
  });

  test('the summary has the number of never-called and of listed tools, in the range and in the previous one', async () => {
    listTools({ server: 'counted', hoursAgo: 50, tools: { early: 8, late: 8, never: 8 } });
    listTools({ server: 'counted', hoursAgo: 1, tools: { early: 8, late: 8, never: 8, young: 8 } });
    call('counted', 'early', { startedUs: (NOW - 40 * HOUR) * 1_000 });
    call('counted', 'late', {}, 20);
    await storePending();
    const { totals, previous, sentence } = await queries.summary({ range: RANGE, server: 'counted' });
    expect(totals.neverCalledTools).toBe((await getNeverCalled({ server: 'counted' })).tools.length);
    expect(totals.neverCalledTools).toBe(2);
    expect(previous.neverCalledTools).toBe(2);
    expect(sentence).toBe('Healthy. 20 calls, 0 % (0 of 20) failed; 2 of 4 tools never called.');
  });

  test('the filters include the tools of a server that only listed them', async () => {
    const { servers } = await queries.servers({ range: RANGE, server: 'shrunk' });
    expect(servers.map(({ server, tools }) => [server, tools])).toEqual([['shrunk', ['kept', 'retired']]]);
  });
});
