// Sessions under a filter by client or version, of which one may have several: their rows tell by sets of names, and only where
// a range cuts one are single calls asked. Each list is compared with plain counting over the calls.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SessionsResponse } from '../../../../src/contract/sessions.ts';
import { DAY, type DatasetCall, HOUR, MINUTE } from '../../../support/dataset/dataset.ts';
import { NOW, type OpenDataset, openDataset, RANGES } from '../../../support/dataset/open-dataset.ts';
import { createSeededCall } from '../../../support/dataset/seeded-calls.ts';
import { isCounted } from '../../../support/oracle/call-order.ts';
import {
  groupBy,
  isWithin,
  matches,
  type OracleFilters,
  sessionKey,
} from '../../../support/oracle/call-stats.ts';
import { sampleCases } from '../../../support/property-runs.ts';

interface Step {
  readonly at: number;
  readonly client?: string;
  readonly version?: string;
}

/** A session whose calls each come with a client and a version; times in minutes before now. */
const sessionCalls = (id: string, steps: readonly Step[]): DatasetCall[] =>
  steps.map(({ at, client = 'zed', version = '1.0.0' }) => ({
    ...createSeededCall({
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
const manyClients = Array.from({ length: 25 }, (_, at) => ({ at: 61 + at, client: `client-${at}` }));

const EDGE_CALLS = [
  ...EDGES.flatMap((edge, at) => [
    ...sessionCalls(`one-${at}`, [{ at: edge + 3 }, { at: edge - 3 }]),
    ...sessionCalls(`before-${at}`, [{ at: edge + 3, client: 'aged' }, { at: edge - 3 }]),
    ...sessionCalls(`after-${at}`, [{ at: edge + 3 }, { at: edge - 3, client: 'aged' }]),
    ...sessionCalls(`empty-${at}`, [{ at: edge + 3, client: '' }, { at: edge - 3 }]),
    ...sessionCalls(`deploy-${at}`, [{ at: edge + 3 }, { at: edge - 3, version: '9.0.0' }]),
  ]),
  ...sessionCalls('both', [
    { at: 70, client: 'aged', version: '1.0.0' },
    { at: 69, client: 'zed', version: '9.0.0' },
  ]),
  ...sessionCalls('of-two-days', [{ at: DAY / MINUTE + 60, client: 'aged' }, { at: 60 }]),
  ...sessionCalls('many', manyClients),
].filter(({ startedUs }) => startedUs <= NOW * 1_000);

let dataset: OpenDataset;

beforeAll(async () => {
  dataset = await openDataset(71, EDGE_CALLS);
});

afterAll(() => dataset.stop());

const FILTERS: readonly OracleFilters[] = [
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
  test.each(sampleCases(FILTERS, 4))(
    'the sessions of a range are those with a request matching %j',
    async (filters) => {
      const named = dataset.calls.filter(({ side, session_id }) => side === 'server' && session_id !== '');
      const asked = [...groupBy(named, sessionKey)].filter(([, own]) =>
        own.some((call) => isWithin(call, used) && matches(call, filters)),
      );
      const query = { range, ...filters, minCalls: 0, order: 'recent', limit: 1_000 } as const;
      const { sessions, total } = SessionsResponse.parse(await dataset.questions.sessions(query));
      const found = sessions.map(
        ({ server, source, sessionId, calls }) => [`${server}|${source}|${sessionId}`, calls] as const,
      );
      expect(found.sort()).toEqual(asked.map(([key, own]) => [key, own.filter(isCounted).length]).sort());
      expect(total).toBe(asked.length);
      const counts = await dataset.questions.sessionCounts({ range, ...filters });
      expect(counts.total).toBe(asked.length);
    },
  );
});

test('the dataset has sessions outside the hours at the edges of the ranges', () => {
  expect(EDGE_CALLS.some(({ startedUs }) => NOW * 1_000 - startedUs > 7 * DAY * 1_000)).toBe(true);
  expect(EDGE_CALLS.some(({ startedUs }) => NOW * 1_000 - startedUs < 4 * HOUR * 1_000)).toBe(true);
});
