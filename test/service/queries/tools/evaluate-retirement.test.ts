// Whether a tool can be removed, as a table: days are counted back from now.
import { describe, expect, test } from 'vitest';
import { evaluateRetirement } from '../../../../src/service/queries/tools/evaluate-retirement.ts';

const DAY_US = 86_400_000_000;
const TODAY = 20_000;
const NOW_US = TODAY * DAY_US + DAY_US / 2;

interface Case {
  readonly because: string;
  /** Days ago, oldest first. */
  readonly called: readonly number[];
  readonly known?: number;
  readonly serverSeen?: number;
  readonly verdict: string;
  readonly quietDays: number;
  readonly requiredDays: number;
}

const CASES: readonly Case[] = [
  {
    because: 'it was not called for exactly fourteen days',
    called: [15, 14],
    verdict: 'safe',
    quietDays: 14,
    requiredDays: 14,
  },
  {
    because: 'it was called thirteen days ago',
    called: [14, 13],
    verdict: 'still_called',
    quietDays: 13,
    requiredDays: 14,
  },
  {
    because: 'it was called today',
    called: [40, 39, 0],
    verdict: 'still_called',
    quietDays: 0,
    requiredDays: 40,
  },
  {
    because: 'it is called once a month, and the month is not over',
    called: [82, 51, 20],
    verdict: 'still_called',
    quietDays: 20,
    requiredDays: 32,
  },
  {
    because: 'it was called once a month, and more than a month is over',
    called: [95, 64, 33],
    verdict: 'safe',
    quietDays: 33,
    requiredDays: 32,
  },
  {
    because: 'it was never called since it was first listed',
    called: [],
    known: 20,
    verdict: 'safe',
    quietDays: 20,
    requiredDays: 14,
  },
  {
    because: 'it was never called, but first listed nine days ago',
    called: [],
    known: 9,
    verdict: 'too_early',
    quietDays: 9,
    requiredDays: 14,
  },
  {
    because: 'its server was not in use for most of the quiet days',
    called: [31, 30],
    serverSeen: 25,
    verdict: 'too_early',
    quietDays: 5,
    requiredDays: 14,
  },
  {
    because: 'it was called yesterday, although it is known for two days only',
    called: [2, 1],
    known: 2,
    verdict: 'still_called',
    quietDays: 1,
    requiredDays: 14,
  },
];

describe('verdict on a retirement', () => {
  test.each(CASES)(
    'a tool is $verdict, because $because',
    ({ called, known = 100, serverSeen = 0, ...expected }) => {
      const newest = called.at(-1);
      const { verdict, quietDays, requiredDays } = evaluateRetirement({
        lastCallUs: newest === undefined ? undefined : NOW_US - newest * DAY_US,
        knownSinceUs: NOW_US - known * DAY_US,
        serverSeenUs: NOW_US - serverSeen * DAY_US,
        nowUs: NOW_US,
        callDays: called.map((days) => TODAY - days),
      });
      expect({ verdict, quietDays, requiredDays }).toEqual({
        verdict: expected.verdict,
        quietDays: expected.quietDays,
        requiredDays: expected.requiredDays,
      });
    },
  );
});
