// When advice counts as resolved, and with which numbers: by the definition, by fewer failures, or not at all.

import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../../src/core/advice/finding.ts';
import type { ToolEvidence } from '../../../../src/core/advice/tool-evidence.ts';
import type { StoredAdvice } from '../../../../src/service/queries/advice/advice-repository.ts';
import type { CalledVersion } from '../../../../src/service/queries/advice/called-versions.ts';
import { describeResolvedByDefinition } from '../../../../src/service/queries/advice/resolved-by-definition.ts';
import {
  describeResolvedByVersion,
  toFailuresByVersion,
} from '../../../../src/service/queries/advice/resolved-by-version.ts';
import type { QueryContext } from '../../../../src/service/queries/query/query-context.ts';
import type { ListedDefinition } from '../../../../src/service/queries/tools/definitions.ts';
import type { StoreReader } from '../../../../src/service/store/store.ts';
import { evidence, failure } from '../../../core/advice/evidence.ts';

const DAY = 86_400_000;
const NOW = 1_794_873_600_000;
const CHANGED = NOW - 4 * DAY;

const listed = (schema: object): ListedDefinition => {
  const definition = {
    name: 'search',
    description: 'Finds.',
    inputSchema: { type: 'object', properties: { limit: schema, state: { type: 'string' } } },
  };
  return {
    ...{ server: 'shop', tool: 'search', hash: 'bb', definition, json: { ...definition }, characters: 90 },
    ...{
      firstUs: CHANGED * 1_000,
      lastUs: NOW * 1_000,
      listings: 3,
      isCurrent: true,
      isInUse: true,
      catalogues: [],
    },
    ...{ serverVersions: ['1.9.2', '1.10.0'], environments: ['production'] },
  };
};
const WITHOUT_BOUND = listed({ type: 'integer' });
const WITH_BOUND = listed({ type: 'integer', maximum: 100 });

const finding = (rule: string, over: Partial<Finding> = {}): Finding => ({
  ...{ rule, tool: 'search', argument: '', level: 'warning', source: 'traffic', callsLost: 0 },
  ...{ title: '', finding: '', disprovedBy: '' },
  evidence: { counts: {}, names: {} },
  suggestion: { text: '', edits: [] },
  ...over,
});
const overTheBound = finding('TD012', {
  argument: 'limit',
  suggestion: {
    text: '',
    edits: [{ tool: 'search', pointer: '/inputSchema/properties/limit/maximum', after: '<n>' }],
  },
});
const confusedFinding = finding('TD007', {
  evidence: { counts: { calls: 140, confused: 40, sessions: 9 }, names: { tools: ['search', 'find'] } },
});
const fewValues = finding('TD009', {
  argument: 'state',
  suggestion: {
    text: '',
    edits: [{ tool: 'search', pointer: '/inputSchema/properties/state/enum', after: ['<value 1>'] }],
  },
});

interface FailuresBeforeAfter {
  readonly before: number;
  readonly n_before: number;
  readonly after: number;
  readonly n_after: number;
}

/** Ten days before the change, and four since. */
function createContext(since: FailuresBeforeAfter): QueryContext {
  const store: StoreReader = {
    async query<Row>() {
      // The only read of these tests is the one of failures.
      return [{ ...since, first_ms: CHANGED - 10 * DAY }] as Row[];
    },
  };
  return { store, nowMs: NOW, rawDays: 30 };
}

const failuresSince = (
  before: number,
  n_before: number,
  after: number,
  n_after: number,
): FailuresBeforeAfter => ({
  ...{ before, n_before, after, n_after },
});

function resolvedOf(
  one: Finding,
  counts: FailuresBeforeAfter,
  { current = WITH_BOUND, own = evidence('search') } = {},
) {
  const seen: StoredAdvice = {
    ...{
      id: 'x',
      server: 'shop',
      firstSeenMs: 0,
      lastSeenMs: 0,
      definitionHash: 'aa',
      serverVersion: '1.9.1',
    },
    finding: one,
  };
  const tools = new Map<string, readonly ToolEvidence[]>([['shop', [own]]]);
  const looking = { evidence: { definitions: [current], tools }, environment: undefined };
  return describeResolvedByDefinition(seen, looking, createContext(counts));
}

describe('advice after a new definition', () => {
  const few = (calls: number, all: number) =>
    evidence('search', {
      calls: all,
      confusions: [
        { other: 'find', calls, sessions: 1 },
        { other: 'list', calls: 30, sessions: 1 },
      ],
    });
  const table: readonly (readonly [
    told: string | undefined,
    because: string,
    finding: Finding,
    since: FailuresBeforeAfter,
    seen?: { readonly current?: ListedDefinition; readonly own?: ToolEvidence },
  ])[] = [
    [
      'Gone since 1.9.2.',
      'the text alone was at fault',
      finding('TD003', { source: 'static' }),
      failuresSince(0, 0, 0, 0),
    ],
    [
      'Gone since 1.9.2: 31 failures a day became 2.',
      'the bound is declared, and the version is the first that listed it',
      overTheBound,
      failuresSince(310, 1_000, 8, 400),
    ],
    [undefined, 'too few calls met it', overTheBound, failuresSince(310, 1_000, 0, 19)],
    [
      undefined,
      'the bound is declared, and more fail than before',
      overTheBound,
      failuresSince(3, 1_000, 80, 400),
    ],
    [
      'Gone since 1.9.2: 0.2 failures a day became 0.',
      'where the definition proves it, chance is no question',
      overTheBound,
      failuresSince(2, 1_000, 0, 30),
    ],
    [
      undefined,
      'without the bound, three hundred calls without a failure may be chance',
      overTheBound,
      failuresSince(2, 1_000, 0, 300),
      { current: WITHOUT_BOUND },
    ],
    [
      'Gone since 1.9.2: 31 failures a day became 0.',
      'without the bound, but far fewer than chance allows',
      overTheBound,
      failuresSince(310, 1_000, 0, 300),
      { current: WITHOUT_BOUND },
    ],
    [undefined, 'the values may be as few as before', fewValues, failuresSince(0, 1_000, 0, 30)],
    [
      'Gone since 1.9.2: 40 of 140 calls became 2 of 90.',
      'agents tell them apart now',
      confusedFinding,
      failuresSince(40, 140, 2, 90),
      { own: few(2, 90) },
    ],
    [
      undefined,
      'a few calls prove nothing',
      confusedFinding,
      failuresSince(40, 140, 4, 20),
      { own: few(4, 20) },
    ],
    [
      undefined,
      'failures of another kind are none of its figures',
      confusedFinding,
      failuresSince(40, 140, 0, 90),
      { own: few(30, 90) },
    ],
  ];
  const cases = table.map(([told, because, one, counts, seen = {}]) => ({
    told,
    because,
    one,
    counts,
    seen,
  }));
  test.each(cases)(
    'the resolution by a new definition reads "$told", because $because',
    async ({ told, one, counts, seen }) => {
      expect(await resolvedOf(one, counts, seen)).toBe(told);
    },
  );
});

describe('advice after a version without a new definition', () => {
  const version = (name: string, calls: number, firstMs: number, lastMs = firstMs): CalledVersion => ({
    ...{ server: 'shop', tool: 'search', version: name, calls, firstMs, lastMs },
  });
  const crashes = (calls: number, ...versions: string[]) =>
    evidence('search', { failures: [failure({ calls, versions })] });
  const OLD = version('1.9.2', 100, CHANGED - 10 * DAY);
  const NEW = version('1.10.0', 60, CHANGED);
  const table: readonly (readonly [
    told: string | undefined,
    because: string,
    own: ToolEvidence,
    called: readonly CalledVersion[],
    rule?: string,
  ])[] = [
    [
      'Gone since 1.10.0: 3 failures a day became 0.',
      'sixty calls went well since',
      crashes(30, '1.9.2'),
      [OLD, NEW],
    ],
    [
      undefined,
      'the old version is called beside the new one',
      crashes(30, '1.9.2'),
      [
        { ...OLD, lastMs: NOW - 1 },
        { ...NEW, lastMs: NOW },
      ],
    ],
    [
      'Gone since 1.10.0: 3 failures a day became 0.',
      'the old version was last called two days before the newest call',
      crashes(30, '1.9.2'),
      [
        { ...OLD, lastMs: NOW - 2 * DAY },
        { ...NEW, lastMs: NOW },
      ],
    ],
    [undefined, 'it happened in the new version too', crashes(31, '1.9.2', '1.10.0'), [OLD, NEW]],
    [undefined, 'nineteen calls are too few', crashes(30, '1.9.2'), [OLD, { ...NEW, calls: 19 }]],
    [undefined, 'three in a hundred may be chance', crashes(3, '1.9.2'), [OLD, NEW]],
    [undefined, 'there is no other version', crashes(30, '1.9.2'), [OLD]],
    [
      undefined,
      'the version is unknown',
      evidence('search', { failures: [failure({ calls: 30 })] }),
      [OLD, NEW],
    ],
    [undefined, 'a rule about calls that went through', crashes(30, '1.9.2'), [OLD, NEW], 'TD007'],
    [
      'Gone since 1.10.0: 3 failures a day became 0.',
      'the version that ended it is told, not the newest',
      crashes(30, '1.9.2'),
      [OLD, NEW, version('1.10.1', 10, CHANGED + DAY)],
    ],
  ];
  const cases = table.map(([told, because, own, calledVersions, rule = 'TD018']) => ({
    ...{ told, because, own, calledVersions, rule },
  }));
  test.each(cases)(
    'the resolution by a new version reads "$told", because $because',
    ({ told, own, calledVersions, rule }) => {
      const tools = new Map<string, readonly ToolEvidence[]>([['shop', [own]]]);
      const proof = { counts: {}, names: {}, calls: { tool: 'search', code: 'tool_error' } };
      const found = { server: 'shop', finding: finding(rule, { evidence: proof }) };
      expect(describeResolvedByVersion(toFailuresByVersion(found, { tools, calledVersions }), NOW)).toBe(
        told,
      );
    },
  );
});
