import { describe, expect, test } from 'vitest';
import {
  type CauseEvidence,
  type CausePart,
  rankCauses,
} from '../../../src/core/change-points/rank-causes.ts';
import type { CauseKind } from '../../../src/core/model/change-point-kinds.ts';
import { createMulberry32 } from '../../support/random.ts';

const NOTHING: CauseEvidence = {
  versions: [],
  clients: [],
  arguments: [],
  codes: [],
  newVersions: [],
  dependencies: [],
};
const part = (name: string, [calls, hits, usual]: readonly [number, number, number]): CausePart => ({
  ...{ name, calls, hits, usual },
});

describe('the likely cause of a change', () => {
  test.each<[string, CauseEvidence, string, string]>([
    [
      'a new version with most of the excess',
      {
        ...NOTHING,
        versions: [part('1.4.2', [30, 1, 1]), part('1.4.3', [60, 20, 3])],
        newVersions: [{ version: '1.4.3', hasNewDefinition: false }],
      },
      'version 1.4.3',
      'it came with the change',
    ],
    [
      'a new version whose definition refuses an argument',
      {
        ...NOTHING,
        versions: [part('1.4.3', [60, 20, 3])],
        arguments: [part('limit', [60, 19, 2])],
        newVersions: [{ version: '1.4.3', hasNewDefinition: true }],
      },
      'definition 1.4.3',
      'the definition says which arguments are accepted',
    ],
    [
      'one of two clients',
      { ...NOTHING, clients: [part('cursor', [50, 22, 2]), part('claude', [50, 3, 2])] },
      'client cursor',
      'it has half of the calls and nearly all of the excess',
    ],
    [
      'the only client',
      {
        ...NOTHING,
        clients: [part('cursor', [100, 25, 4])],
        codes: [part('HTTP_503', [100, 24, 1])],
      },
      'code HTTP_503',
      'a client with all calls has all of the excess whatever the cause is',
    ],
    [
      'a dependency that failed in most of the failed calls',
      {
        ...NOTHING,
        codes: [part('HTTP_503', [100, 24, 1])],
        dependencies: [
          { name: 'postgresql:orders', share: 0.9 },
          { name: 'redis', share: 0.1 },
        ],
      },
      'dependency postgresql:orders',
      'a code says how it fails, a dependency why',
    ],
    [
      'a new version that uses its database more',
      {
        ...NOTHING,
        versions: [part('1.4.3', [60, 20, 3])],
        newVersions: [{ version: '1.4.3', hasNewDefinition: false }],
        dependencies: [{ name: 'postgresql:orders', share: 0.9 }],
      },
      'version 1.4.3',
      'it came with the change, and the dependency is named second',
    ],
    [
      'failures in all versions, clients and codes',
      {
        ...NOTHING,
        clients: [part('cursor', [50, 10, 2]), part('claude', [50, 11, 2])],
        codes: [part('A', [100, 10, 2]), part('B', [100, 11, 2])],
      },
      '',
      'nothing has more than its part',
    ],
  ])('%s is %3$s', (_, evidence, named, because) => {
    const [top] = rankCauses(evidence);
    expect(top ? `${top.kind} ${top.name}` : '', because).toBe(named);
  });

  test('is the true one in at least 80 of 100 simulated changes with 20 to 60 failures', () => {
    const random = createMulberry32(11);
    const kinds: CauseKind[] = ['version', 'definition', 'client', 'argument', 'code'];
    const results = Array.from({ length: 500 }, (_, at) => {
      const kind = kinds[at % kinds.length] ?? 'code';
      return rankCauses(simulateCause(kind, random))[0]?.kind === kind;
    });
    expect(results.filter(Boolean).length / results.length).toBeGreaterThanOrEqual(0.8);
  });
});

/** One of some names at random. */
const choose = (names: readonly string[], random: () => number): string =>
  names[Math.floor(random() * names.length)] ?? '';

const CLIENTS = ['cursor', 'claude', 'codex'];
const DEPLOY_KINDS: readonly CauseKind[] = ['version', 'definition'];

interface SimulatedCall {
  readonly versions: string;
  readonly clients: string;
  readonly arguments: string;
  readonly codes: string;
  readonly isHit: boolean;
}

/** Calls of three clients and two versions; the part that is the cause fails more. */
function simulateCause(kind: CauseKind, random: () => number): CauseEvidence {
  // Another version may be rolled out to a part of the processes by chance, too.
  const isDeploy = DEPLOY_KINDS.includes(kind);
  const newShare = isDeploy ? 0.9 : random() < 0.15 ? 0.3 : 0;
  const culprit = choose(CLIENTS, random);
  const total = 60 + Math.floor(random() * 120);
  const context = { kind, culprit, newShare, isDeploy, random };
  const calls = Array.from({ length: total }, () => simulateCall(context));
  return {
    ...{ versions: toParts(calls, 'versions'), clients: toParts(calls, 'clients') },
    ...{ arguments: toParts(calls, 'arguments'), codes: toParts(calls, 'codes') },
    dependencies: [],
    newVersions: newShare > 0 ? [{ version: '2', hasNewDefinition: kind === 'definition' }] : [],
  };
}

interface CauseContext {
  readonly kind: CauseKind;
  readonly culprit: string;
  readonly newShare: number;
  readonly isDeploy: boolean;
  readonly random: () => number;
}

function simulateCall({ kind, culprit, newShare, isDeploy, random }: CauseContext): SimulatedCall {
  const versions = random() < newShare ? '2' : '1';
  const clients = choose(CLIENTS, random);
  const isAffected = (kind !== 'client' || clients === culprit) && (!isDeploy || versions === '2');
  const isFault = isAffected && random() < (kind === 'client' ? 0.6 : 0.3);
  const names = kind === 'definition' || kind === 'argument' ? ['limit'] : ['', 'query', 'limit'];
  const codes = kind === 'code' ? ['HTTP_503'] : ['-32602', 'TIMEOUT', 'CONFLICT'];
  return {
    ...{ versions, clients, isHit: isFault || random() < 0.05 },
    arguments: isFault ? choose(names, random) : 'query',
    codes: isFault ? choose(codes, random) : 'TIMEOUT',
  };
}

function toParts(calls: readonly SimulatedCall[], field: Exclude<keyof SimulatedCall, 'isHit'>): CausePart[] {
  const isOfFailures = field === 'arguments' || field === 'codes';
  return [...new Set(calls.map((call) => call[field]))].map((name) => {
    const own = calls.filter((call) => call[field] === name);
    const hits = own.filter(({ isHit }) => isHit).length;
    const count = isOfFailures ? calls.length : own.length;
    return { name, calls: count, hits, usual: count * (isOfFailures ? 0.0125 : 0.05) };
  });
}
