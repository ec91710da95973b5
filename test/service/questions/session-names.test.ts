// Sessions under a filter by client or version, of which one may have several: their rows tell by sets of names, and only where
// a range cuts one are single calls asked. Each list is compared with plain counting over the calls.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SessionsAnswer } from '../../../src/contract/answers.ts';
import { NOW, type OpenWorld, openRawWorld, RANGES } from './open-raw-world.ts';
import { DAY, HOUR, MINUTE, type RawCall } from './raw-row.ts';
import { groupBy, matches, type RecountFilters, sessionKey, within } from './recount.ts';
import { isCounted } from './recount-order.ts';
import { makeCall } from './seeded-calls.ts';

interface Step {
  readonly at: number;
  readonly client?: string;
  readonly version?: string;
}

/** A session whose calls each come with a client and a version; times in minutes before now. */
const session = (id: string, steps: readonly Step[]): RawCall[] =>
  steps.map(({ at, client = 'zed', version = '1.0.0' }) => ({
    ...makeCall({
      startedUs: (NOW - at * MINUTE) * 1_000,
      server_name: 'names',
      session_id: id,
      session_source: 'host',
      client_name: client,
      server_version: version,
    }),
    catalogue_hash: '',
    fingerprint_key_id: 'k',
    argument_fingerprints: {},
  }));

const EDGES = RANGES.flatMap(({ used }) => [used.fromMs, used.toMs]).map((ms) => (NOW - ms) / MINUTE);
const many = Array.from({ length: 25 }, (_, at) => ({ at: 61 + at, client: `client-${at}` }));

const OWN = [
  ...EDGES.flatMap((edge, at) => [
    ...session(`one-${at}`, [{ at: edge + 3 }, { at: edge - 3 }]),
    ...session(`before-${at}`, [{ at: edge + 3, client: 'aged' }, { at: edge - 3 }]),
    ...session(`after-${at}`, [{ at: edge + 3 }, { at: edge - 3, client: 'aged' }]),
    ...session(`empty-${at}`, [{ at: edge + 3, client: '' }, { at: edge - 3 }]),
    ...session(`deploy-${at}`, [{ at: edge + 3 }, { at: edge - 3, version: '9.0.0' }]),
  ]),
  ...session('both', [
    { at: 70, client: 'aged', version: '1.0.0' },
    { at: 69, client: 'zed', version: '9.0.0' },
  ]),
  ...session('of-two-days', [{ at: DAY / MINUTE + 60, client: 'aged' }, { at: 60 }]),
  ...session('many', many),
].filter(({ startedUs }) => startedUs <= NOW * 1_000);

let world: OpenWorld;

beforeAll(async () => {
  world = await openRawWorld(71, OWN);
});

afterAll(() => world.stop());

const FILTERS: readonly RecountFilters[] = [
  { client: 'zed' },
  { client: 'aged' },
  { client: 'claude' },
  { client: 'client-24' },
  { client: '' },
  { version: '9.0.0' },
  { version: '1.0.0' },
  { client: 'aged', version: '9.0.0' },
  { client: 'zed', version: '9.0.0' },
  { client: 'claude', server: 'notes' },
  { client: 'claude', environment: 'production' },
];

describe.each(RANGES)('sessions of $name', ({ range, used }) => {
  test.each(FILTERS)('are those with a request of %j', async (filters) => {
    const named = world.calls.filter(({ side, session_id }) => side === 'server' && session_id !== '');
    const asked = [...groupBy(named, sessionKey)].filter(([, own]) =>
      own.some((call) => within(call, used) && matches(call, filters)),
    );
    const query = { range, ...filters, minCalls: 0, order: 'recent', limit: 1_000 } as const;
    const { sessions, total } = SessionsAnswer.parse(await world.questions.sessions(query));
    const found = sessions.map(
      ({ server, source, sessionId, calls }) => [`${server}|${source}|${sessionId}`, calls] as const,
    );
    expect(found.sort()).toEqual(asked.map(([key, own]) => [key, own.filter(isCounted).length]).sort());
    expect(total).toBe(asked.length);
    const counts = await world.questions.sessionCounts({ range, ...filters });
    expect(counts.total).toBe(asked.length);
  });
});

test('the calls of the tests lie beside the hours of the edges', () => {
  expect(OWN.some(({ startedUs }) => NOW * 1_000 - startedUs > 7 * DAY * 1_000)).toBe(true);
  expect(OWN.some(({ startedUs }) => NOW * 1_000 - startedUs < 4 * HOUR * 1_000)).toBe(true);
});
