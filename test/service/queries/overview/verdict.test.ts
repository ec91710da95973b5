// The verdict line as a table: figures in, word and sentence out.
import { describe, expect, test } from 'vitest';
import {
  assessHealth,
  type HealthStats,
  type Verdict,
} from '../../../../src/service/queries/overview/verdict.ts';

const HEALTHY: HealthStats = {
  calls: 200,
  errors: 0,
  lastEventMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  worst: undefined,
  activeLoops: 0,
  neverCalledTools: 0,
  listedTools: 14,
};

const worst = (errors: number, calls: number, before = { calls: 0, errors: 0 }) => ({
  worst: { label: 'search_notes', errors, calls, before },
});

const VERDICTS: readonly (readonly [Partial<HealthStats>, Verdict, because: string])[] = [
  [{ lastEventMs: undefined, calls: 0 }, 'no_data', 'nothing was ever received'],
  [{ calls: 0 }, 'quiet', 'something was received, but not in the range'],
  [{ calls: 19, errors: 19 }, 'not_enough_data', '19 calls are one too few, however bad'],
  [{ calls: 20, errors: 20 }, 'failing', '20 calls are enough'],
  [{ errors: 40 }, 'failing', '20 % is failing'],
  [{ errors: 39 }, 'degraded', '19.5 % is not yet failing'],
  [{ errors: 10 }, 'degraded', '5 % is degraded'],
  [{ errors: 9 }, 'healthy', '4.5 % is not yet degraded'],
  [{ errors: 9, activeLoops: 1 }, 'looping', 'a loop outweighs health'],
  [{ errors: 10, activeLoops: 1 }, 'degraded', 'errors outweigh a loop'],
  [{ neverCalledTools: 14 }, 'healthy', 'a tool without calls has no failures'],
];

const SENTENCES: readonly (readonly [Partial<HealthStats>, string])[] = [
  [{ lastEventMs: undefined, calls: 0 }, 'No data. Nothing has been received yet.'],
  [{ calls: 0 }, 'Quiet. No tool calls in this range; the last event came at 2026-01-02 03:04 UTC.'],
  [{ calls: 7, errors: 2 }, 'Not enough data. 7 calls, 2 failed; at least 20 calls needed.'],
  [{ calls: 1 }, 'Not enough data. 1 call, 0 failed; at least 20 calls needed.'],
  [{}, 'Healthy. 200 calls, 0 % (0 of 200) failed.'],
  [{ calls: 12_345, errors: 1 }, 'Healthy. 12\u202f345 calls, under 0.1 % (1 of 12\u202f345) failed.'],
  [
    {
      errors: 31,
      calls: 150,
      ...worst(31, 140, { calls: 100, errors: 4 }),
      neverCalledTools: 3,
      activeLoops: 1,
    },
    'Failing. search_notes fails 22 % (31 of 140), 4 % before; 21 % (31 of 150) of all calls fail; ' +
      '1 agent is looping now; 3 of 14 tools never called.',
  ],
  [
    {
      errors: 91,
      calls: 250,
      worst: {
        ...{ label: 'search_notes', errors: 90, calls: 240, before: { calls: 100, errors: 4 } },
        since: { version: '1.4.2', calls: 212, errors: 87, before: { calls: 128, errors: 7 } },
      },
    },
    'Failing. search_notes fails 41 % (87 of 212) since 1.4.2, 5.5 % (7 of 128) before; 36 % (91 of 250) of all calls fail.',
  ],
  [
    { errors: 12, ...worst(12, 200, { calls: 19, errors: 19 }) },
    'Degraded. search_notes fails 6 % (12 of 200).',
  ],
  [
    { errors: 3, activeLoops: 2, neverCalledTools: 1, listedTools: 1 },
    'Looping. 2 agents are looping now; 1.5 % (3 of 200) of all calls fail; 1 of 1 tool never called.',
  ],
];

describe('assessHealth', () => {
  test.each(VERDICTS)('the verdict on %j is %s, because %s', (figures, verdict) => {
    expect(assessHealth({ ...HEALTHY, ...figures }).verdict).toBe(verdict);
  });

  test.each(SENTENCES)('the verdict on %j has the sentence: %s', (figures, sentence) => {
    expect(assessHealth({ ...HEALTHY, ...figures }).sentence).toBe(sentence);
  });
});
