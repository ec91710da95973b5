// Two versions of a server that list in turn: which is current, which is in use beside it, and what that does to advice. Each hour of
// a story is a server of its own, which has listed what was listed by then: so every hour is looked at, and the store is asked once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdviceResponse } from '../../../../src/contract/advice.ts';
import type { Queries } from '../../../../src/contract/queries.ts';
import { ToolResponse } from '../../../../src/contract/tool.ts';
import { findRemovedTools } from '../../../../src/service/queries/overview/catalogue-changes.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { type ListedDefinition, readDefinitions } from '../../../../src/service/queries/tools/definitions.ts';
import { createSeededCall, toColumnTime, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { sampleCases } from '../../../support/property-runs.ts';

const HOUR = 3_600_000;
const HOURS = 72;
/** When the newer version comes. */
const DEPLOY = 12;
const NOW = Math.floor(Date.now() / HOUR) * HOUR;
const FROM = NOW - HOURS * HOUR;

const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } });
const FIND = tool(
  'find_order',
  'Finds an order by its number. Use it when the number is known. Returns the order.',
);
const VERSIONS = {
  // Without a description, and with a tool that the others no longer have.
  old: {
    version: '1.4.2',
    catalogue: 'a'.repeat(16),
    tools: [
      tool('cancel_order', ''),
      FIND,
      tool('archive_order', 'Archives an order once it is paid. Returns nothing.'),
    ],
  },
  new: {
    version: '1.5.0',
    catalogue: 'b'.repeat(16),
    tools: [
      tool('cancel_order', 'Cancels an order before it is sent. Use it once. Returns the order.'),
      FIND,
    ],
  },
  next: {
    version: '1.5.1',
    catalogue: 'c'.repeat(16),
    tools: [
      tool('cancel_order', 'Cancels an order before it is sent. Use it once only. Returns the order.'),
      FIND,
    ],
  },
} as const;
type VersionName = keyof typeof VERSIONS;

/** Who listed when, in hours since the story began. */
type ListingStory = readonly (readonly [at: number, who: VersionName])[];
const hourly = (who: VersionName, from: number, to: number): ListingStory =>
  Array.from({ length: to - from }, (_, at) => [from + at + (who === 'old' ? 0.1 : 0.6), who]);

const STORIES = {
  /** Both run from the deploy on, and each lists once an hour. */
  turns: [...hourly('old', 0, HOURS), ...hourly('new', DEPLOY, HOURS)],
  /** The old process ends with the deploy. */
  deploy: [...hourly('old', 0, DEPLOY), ...hourly('new', DEPLOY, HOURS)],
  /** Some of the old ones go on for six hours. */
  rolling: [...hourly('old', 0, DEPLOY + 6), ...hourly('new', DEPLOY, HOURS)],
  /** The new one is taken back after three hours. */
  rollback: [
    ...hourly('old', 0, DEPLOY),
    ...hourly('new', DEPLOY, DEPLOY + 3),
    ...hourly('old', DEPLOY + 3, HOURS),
  ],
  /** Both run, and then the newer is replaced by a newer one still. */
  again: [...hourly('old', 0, HOURS), ...hourly('new', DEPLOY, 40), ...hourly('next', 40, HOURS)],
  /** Two people, one in the morning and one in the afternoon. */
  shifts: [0, 24, 48].flatMap(
    (day): ListingStory => [...hourly('old', day, day + 3), ...hourly('new', day + 8, day + 11)],
  ),
} as const satisfies Record<string, ListingStory>;
type StoryName = keyof typeof STORIES;

const serverOf = (story: StoryName, hour: number): string => `${story} ${hour}`;
const listingsUntil = (story: StoryName, hour: number): ListingStory =>
  STORIES[story].filter(([at]) => at < hour);
/** The store keeps the first and the last listing of each: those between need no rows. */
const firstAndLast = (listings: ListingStory): ListingStory =>
  listings.filter(([, who], nth) => {
    const own = (other: ListingStory[number]) => other[1] === who;
    return nth === listings.findIndex(own) || nth === listings.findLastIndex(own);
  });
const hours = Array.from({ length: HOURS }, (_, at) => at + 1);
const names = Object.keys(STORIES) as StoryName[];

let engine: TestEngine;
let queries: Queries;
let definitions: readonly ListedDefinition[];

const hashOf = (text: string): bigint =>
  [...text].reduce((sum, letter) => (sum * 31n + BigInt(letter.charCodeAt(0))) % 2n ** 63n, 7n);

function listingRows(story: StoryName, hour: number): object[] {
  return firstAndLast(listingsUntil(story, hour)).flatMap(([at, who]) => {
    const { version, catalogue, tools } = VERSIONS[who];
    return tools.map((definition) => ({
      ...{ server_name: serverOf(story, hour), server_version: version, environment: 'production' },
      ...{ listed_at: toColumnTime((FROM + at * HOUR) * 1_000), origin: 'list', catalogue_hash: catalogue },
      ...{ tool_name: definition.name, definition: JSON.stringify(definition) },
      ...{ definition_hash: hashOf(JSON.stringify(definition)).toString(), trace_id: 'a', span_id: 'b' },
    }));
  });
}

/** A call of each tool a minute after each listing that had it. */
function callRows(story: StoryName, hour: number) {
  return listingsUntil(story, hour).flatMap(([at, who]) =>
    VERSIONS[who].tools
      .filter(({ name }) => name === 'cancel_order')
      .map(({ name }) => ({
        ...createSeededCall({
          startedUs: (FROM + at * HOUR + 60_000) * 1_000,
          ...{ server_name: serverOf(story, hour), tool_name: name, session_id: `${story}-${hour}-${at}` },
          client_name: who === 'old' ? 'cursor' : 'claude',
          server_version: VERSIONS[who].version,
        }),
        catalogue_hash: VERSIONS[who].catalogue,
      })),
  );
}

beforeAll(async () => {
  engine = await startTestEngine();
  const { store } = engine;
  const every = names.flatMap((story) => hours.map((hour) => [story, hour] as const));
  await insertRows(
    store,
    'tool_listings',
    every.flatMap(([story, hour]) => listingRows(story, hour)),
  );
  // Advice is looked at in some hours: each takes a handful of reads.
  const asked = every.filter(([, hour]) => CHECKED_HOURS.includes(hour));
  await insertRows(store, 'calls', asked.flatMap(([story, hour]) => callRows(story, hour)).map(toStoredRow));
  queries = createQueries({
    store,
    clock: () => NOW,
    freshness: () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 }),
  });
  definitions = await readDefinitions({}, { store });
}, 120_000);

afterAll(() => engine?.stop(), 60_000);

const CHECKED_HOURS: readonly number[] = [14, 30, 41, 42, 60, 72];

/** Versions of `cancel_order`: the current ones, and those beside them. */
function versionsInUse(story: StoryName, hour: number): string {
  const own = definitions.filter(
    ({ server, tool: name }) => server === serverOf(story, hour) && name === 'cancel_order',
  );
  const versions = (some: readonly ListedDefinition[]) =>
    some.flatMap(({ serverVersions }) => serverVersions).join(' ');
  const beside = versions(own.filter(({ isInUse, isCurrent }) => isInUse && !isCurrent));
  return `${versions(own.filter(({ isCurrent }) => isCurrent))}${beside && ` beside ${beside}`}`;
}

/** What each hour of a story sees, with the hours in which that changed. */
function describeCourse(story: StoryName): string[] {
  const seen = hours.map((hour) => [hour, versionsInUse(story, hour)] as const);
  return seen
    .filter(([, now], at) => at === 0 || now !== seen[at - 1]?.[1])
    .map(([hour, now]) => `from ${hour}: ${now}`);
}

describe('alternating versions at every hour', () => {
  const table: readonly (readonly [story: StoryName, because: string, course: readonly string[]])[] = [
    [
      'turns',
      'both are in use, and the one first seen latest is current',
      ['from 1: 1.4.2', 'from 13: 1.5.0', 'from 14: 1.5.0 beside 1.4.2'],
    ],
    ['deploy', 'what was not listed again since is replaced at once', ['from 1: 1.4.2', 'from 13: 1.5.0']],
    [
      'rolling',
      'the old one is in use for a day after its last listing',
      ['from 1: 1.4.2', 'from 13: 1.5.0', 'from 14: 1.5.0 beside 1.4.2', 'from 42: 1.5.0'],
    ],
    [
      'rollback',
      'the old one is current again once the new one was not listed for a day',
      ['from 1: 1.4.2', 'from 13: 1.5.0', 'from 16: 1.5.0 beside 1.4.2', 'from 40: 1.4.2'],
    ],
    [
      'again',
      'a deploy of the one does not end the other for the time until it lists',
      ['from 1: 1.4.2', 'from 13: 1.5.0', 'from 14: 1.5.0 beside 1.4.2', 'from 41: 1.5.1 beside 1.4.2'],
    ],
    [
      'shifts',
      'a night without a listing ends neither',
      ['from 1: 1.4.2', 'from 9: 1.5.0', 'from 25: 1.5.0 beside 1.4.2'],
    ],
  ];
  test.each(table)('the current version of "%s" does not flap: %s', (story, _, expected) => {
    expect(describeCourse(story)).toEqual(expected);
  });

  test('a tool in only one of two versions in use is listed as offered, not as removed', () => {
    const removed = new Set(
      findRemovedTools(definitions).map(({ server, tool: name }) => `${server}/${name}`),
    );
    const told = (story: StoryName) =>
      hours.filter((hour) => removed.has(`${serverOf(story, hour)}/archive_order`));
    // In the hour of the deploy it is unknown whether the old version stays in use.
    expect(told('turns')).toEqual([DEPLOY + 1]);
    expect(told('deploy')).toEqual(hours.filter((hour) => hour > DEPLOY));
    expect(told('rolling')).toEqual([DEPLOY + 1, ...hours.filter((hour) => hour > 41)]);
  });

  test('the never-called tools include such a tool in the same hours', async () => {
    const uncalled = await neverCalled();
    const told = hours.filter((hour) => uncalled.has(`${serverOf('rollback', hour)}/archive_order`));
    expect(told).toEqual(hours.filter((hour) => hour < 13 || hour > 15));
    expect(hours.filter((hour) => uncalled.has(`${serverOf('turns', hour)}/archive_order`))).toEqual(
      hours.filter((hour) => hour !== 13),
    );
  });
});

/** `server/tool` of all pages of the list. */
async function neverCalled(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const range = { fromMs: FROM, toMs: NOW };
  let cursor: string | undefined;
  do {
    const page = await queries.neverCalled({ range, ...(cursor === undefined ? {} : { cursor }) });
    for (const { server, tool: name } of page.tools) names.add(`${server}/${name}`);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

describe('advice with alternating versions', () => {
  const adviceOf = async (story: StoryName, hour: number) => {
    const server = serverOf(story, hour);
    const answer = await queries.advice({ range: { fromMs: FROM, toMs: NOW }, server, state: 'open' });
    return AdviceResponse.parse(answer).advice.filter(({ tool: name }) => name === 'cancel_order');
  };

  test.each(sampleCases([14, 30, 41, 72], 3))(
    'at hour %i advice on a version in use is not resolved, and its calls are not late',
    async (hour) => {
      const advice = await adviceOf('turns', hour);
      expect(advice.map(({ rule }) => rule)).toEqual(['TD003']);
      expect(advice[0]?.finding).toContain('Seen on 1.4.2, in use beside the current one.');
    },
  );

  test('advice is resolved once its version is no longer in use', async () => {
    const rules = async (hour: number) => (await adviceOf('rolling', hour)).map(({ rule }) => rule);
    expect([await rules(41), await rules(42), await rules(72)]).toEqual([['TD003'], [], []]);
  });

  test('advice names the clients of a tool no longer in use, with their version and the time of the last call', async () => {
    const { store } = engine;
    const startedUs = (FROM + 50 * HOUR) * 1_000;
    const late = createSeededCall({
      ...{ startedUs, server_name: serverOf('deploy', 60), tool_name: 'cancel_order', session_id: 'late' },
      ...{ server_version: '1.4.2', client_name: 'cursor', client_version: '2.1' },
    });
    await insertRows(store, 'calls', [{ ...toStoredRow(late), catalogue_hash: VERSIONS.old.catalogue }]);
    const [told, ...others] = await adviceOf('deploy', 60);
    expect(others).toEqual([]);
    expect(told?.finding).toBe(
      `1 call of "cancel_order" still used an outdated definition (1.4.2) by cursor 2.1, last on ${new Date(startedUs / 1_000).toISOString()}.`,
    );
  });

  test('advice applies again after a rollback to its version', async () => {
    const advice = await adviceOf('rollback', 60);
    expect(advice.map(({ rule, finding }) => [rule, finding.includes('beside')])).toEqual([['TD003', false]]);
  });
});

test('the page of a tool marks the versions that are in use', async () => {
  const page = ToolResponse.parse(
    await queries.tool({
      id: 'cancel_order',
      range: { fromMs: FROM, toMs: NOW },
      server: serverOf('turns', 72),
    }),
  );
  expect(
    page.versions.map(({ serverVersions, isCurrent, isInUse, calls }) => [
      serverVersions,
      isCurrent,
      isInUse,
      calls,
    ]),
  ).toEqual([
    [['1.5.0'], true, true, 60],
    [['1.4.2'], false, true, 72],
  ]);
  expect(page.advice.map(({ rule }) => rule)).toEqual(['TD003']);
});
