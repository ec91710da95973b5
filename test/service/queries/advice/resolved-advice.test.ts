// Which of what was remembered is looked at, and how many at once: a long memory must not crowd out people's questions.

import { expect, test } from 'vitest';
import type { Finding } from '../../../../src/core/advice/finding.ts';
import type { StoredAdvice } from '../../../../src/service/queries/advice/advice-repository.ts';
import { findResolvedAdvice } from '../../../../src/service/queries/advice/resolved-advice.ts';
import type { ListedDefinition } from '../../../../src/service/queries/tools/definitions.ts';
import type { StoreReader } from '../../../../src/service/store/store.ts';

const NOW = 1_794_873_600_000;
const DAY = 86_400_000;

const finding: Finding = {
  ...{ rule: 'TD016', tool: 'search', argument: '', level: 'warning', source: 'traffic', callsLost: 0 },
  ...{ title: '', finding: '', disprovedBy: '' },
  evidence: { counts: {}, names: {} },
  suggestion: { text: '', edits: [] },
};
const current: ListedDefinition = {
  ...{ server: 'shop', tool: 'search', hash: 'bb', json: {}, characters: 2 },
  definition: { name: 'search' },
  ...{
    firstUs: (NOW - 4 * DAY) * 1_000,
    lastUs: NOW * 1_000,
    listings: 1,
    isCurrent: true,
    isInUse: true,
    catalogues: [],
  },
  ...{ serverVersions: ['1.1.0'], environments: ['production'] },
};

test('many stored advice entries are read a few at a time, only the newest ones and in that order', async () => {
  let running = 0;
  let most = 0;
  let reads = 0;
  const store: StoreReader = {
    async query<Row>() {
      running += 1;
      reads += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      // The only read of this test is the one of failures.
      return [{ before: 310, n_before: 1_000, after: 0, n_after: 400, first_ms: NOW - 14 * DAY }] as Row[];
    },
  };
  const candidates = Array.from({ length: 200 }, (_, at): StoredAdvice => {
    const seen = { firstSeenMs: 0, lastSeenMs: NOW - DAY - ((at * 7) % 200) * 1_000 };
    return {
      id: String((at * 7) % 200),
      server: 'shop',
      ...seen,
      definitionHash: 'aa',
      serverVersion: '',
      finding,
    };
  });
  const looking = { evidence: { definitions: [current], tools: new Map() }, environment: undefined };
  const gone = await findResolvedAdvice(candidates, looking, { store, nowMs: NOW, rawDays: 30 });
  expect(gone.map(({ seen }) => seen.id)).toEqual(Array.from({ length: 60 }, (_, at) => String(at)));
  expect(new Set(gone.map(({ outcome }) => outcome))).toEqual(
    new Set(['Gone since 1.1.0: 31 failures a day became 0.']),
  );
  expect(reads).toBe(60);
  expect(most).toBe(2);
});

test('advice that still applies unchanged is not resolved', async () => {
  const store: StoreReader = {
    async query() {
      throw new Error('nothing to ask');
    },
  };
  const seen: StoredAdvice = {
    ...{
      id: 'x',
      server: 'shop',
      firstSeenMs: 0,
      lastSeenMs: NOW,
      definitionHash: 'bb',
      serverVersion: '1.1.0',
    },
    finding,
  };
  const looking = { evidence: { definitions: [current], tools: new Map() }, environment: undefined };
  expect(await findResolvedAdvice([seen], looking, { store, nowMs: NOW, rawDays: 30 })).toEqual([]);
});
