// Since which version a tool fails more: by its calls, and only where chance is ruled out. Then the same as the store and the verdict's
// sentence have it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../../src/contract/queries.ts';
import {
  findVersionChange,
  type VersionCalls,
} from '../../../../src/service/queries/overview/version-change.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { createSeededCall, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';

const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 1_800_000;

/** Errors and calls of a version, first met so many hours ago; in the range, and before it. */
const version = (
  name: string,
  hoursAgo: number,
  inRange: readonly [errors: number, calls: number],
  earlier: readonly [errors: number, calls: number] = [0, 0],
): VersionCalls => ({
  ...{ version: name, firstMs: NOW - hoursAgo * HOUR },
  inRange: { errors: inRange[0], calls: inRange[1] },
  all: { errors: inRange[0] + earlier[0], calls: inRange[1] + earlier[1] },
});

describe('version change', () => {
  const table: readonly (readonly [
    told: string | undefined,
    because: string,
    versions: readonly VersionCalls[],
  ])[] = [
    [
      '87 of 212 since 1.4.2, 7 of 128 before',
      'the intervals are apart',
      [version('1.4.1', 900, [2, 28], [5, 100]), version('1.4.2', 20, [87, 212])],
    ],
    [undefined, 'the intervals overlap', [version('1.4.1', 900, [3, 30]), version('1.4.2', 20, [8, 40])]],
    [
      undefined,
      'nineteen calls are too few',
      [version('1.4.1', 900, [0, 200]), version('1.4.2', 20, [19, 19])],
    ],
    [
      undefined,
      'nineteen calls before are too few',
      [version('1.4.1', 900, [0, 19]), version('1.4.2', 20, [90, 200])],
    ],
    [undefined, 'it fails less', [version('1.4.1', 900, [90, 200]), version('1.4.2', 20, [4, 200])]],
    [
      undefined,
      'a significant change of two percentage points is too small to matter',
      [version('1.4.1', 900, [10, 4_000]), version('1.4.2', 20, [120, 4_000])],
    ],
    [
      undefined,
      'the version is older than what is looked at',
      [version('1.4.1', 900, [0, 200]), version('1.4.2', 800, [90, 200])],
    ],
    [undefined, 'there is no other version', [version('1.4.2', 20, [90, 200])]],
    [
      '180 of 400 since 1.4.2, 0 of 200 before',
      'the next version did not mend it',
      [version('1.4.1', 900, [0, 200]), version('1.4.2', 20, [90, 200]), version('1.4.3', 3, [90, 200])],
    ],
    [
      '90 of 200 since 1.4.3, 0 of 400 before',
      'the version before it did well',
      [version('1.4.1', 900, [0, 200]), version('1.4.2', 20, [0, 200]), version('1.4.3', 3, [90, 200])],
    ],
  ];
  test.each(table)('the sentence on a version change is "%s", because %s', (told, _, versions) => {
    const change = findVersionChange(versions, NOW - 48 * HOUR);
    expect(
      change &&
        `${change.errors} of ${change.calls} since ${change.version}, ${change.before.errors} of ${change.before.calls} before`,
    ).toBe(told);
  });
});

describe('sentence of the verdict', () => {
  let engine: TestEngine;
  let questions: Queries;
  const failure = { outcome: 'tool_error', fault: 'server', error_code: 'BROKEN' } as const;
  const calls = (server_version: string, hoursAgo: number, [errors, all]: readonly [number, number]) =>
    Array.from({ length: all }, (_, at) =>
      createSeededCall({
        startedUs: (NOW - hoursAgo * HOUR + at * 1_000) * 1_000,
        ...{ tool_name: 'search_issues', server_name: 'github', server_version, session_id: `s-${at % 5}` },
        ...(at < errors && failure),
      }),
    );

  beforeAll(async () => {
    engine = await startTestEngine();
    const rows = [
      ...calls('1.4.1', 60, [3, 100]),
      ...calls('1.4.1', 30, [2, 80]),
      ...calls('1.4.1', 20, [2, 48]),
      ...calls('1.4.2', 10, [87, 212]),
    ];
    await insertRows(engine.store, 'calls', rows.map(toStoredRow));
    questions = createQueries({
      store: engine.store,
      clock: () => NOW,
      freshness: () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 }),
    });
  });

  afterAll(() => engine?.stop());

  const ask = (filters: object) =>
    questions.summary({ range: { fromMs: NOW - 24 * HOUR, toMs: NOW }, ...filters });

  test('the verdict names the version with its errors before and after, going back to the previous range', async () => {
    const { sentence } = await ask({});
    // Of 1.4.1, two of eighty in the range before and two of forty-eight in this one.
    expect(sentence).toBe(
      'Failing. search_issues fails 41 % (87 of 212) since 1.4.2, 3.1 % (4 of 128) before; 34 % (89 of 260) of all calls fail.',
    );
  });

  test('the verdict names no version when only the calls of one version are selected', async () => {
    const { sentence } = await ask({ version: '1.4.2' });
    expect(sentence).toBe('Failing. search_issues fails 41 % (87 of 212).');
  });
});
