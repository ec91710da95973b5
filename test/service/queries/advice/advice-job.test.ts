// When advice is looked for, on a clock that the test moves.

import pino from 'pino';
import { describe, expect, test } from 'vitest';
import {
  type AdviceRunResult,
  scheduleAdviceJob,
} from '../../../../src/service/queries/advice/advice-job.ts';
import type { AdviceJobResult } from '../../../../src/service/queries/advice/run-advice-job.ts';
import { createSteppedClock } from '../../../support/stepped-clock.ts';

const HOUR = 3_600_000;
const FIRST_DELAY_MS = 120_000;
const COMPLETE_RUN: AdviceJobResult = { servers: 3, failed: 0, findings: 7 };

interface LogEntry {
  readonly level: number;
  readonly result?: string;
  readonly failed?: number;
}

function start(
  round: (nowMs: number, ending: AbortSignal) => Promise<AdviceJobResult>,
  isStoreReachable = async () => true,
) {
  const clock = createSteppedClock();
  const results: AdviceRunResult[] = [];
  const lines: LogEntry[] = [];
  const rounds = scheduleAdviceJob({
    runJob: round,
    isStoreReachable,
    clock,
    onRunEnded: (result) => results.push(result),
    log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  });
  return { clock, results, lines, rounds };
}

describe('advice job', () => {
  test('the advice job first runs after some minutes, and then every hour however long a run takes', async () => {
    const at: number[] = [];
    let end = (): void => undefined;
    const { clock, rounds } = start((nowMs) => {
      at.push(nowMs);
      return new Promise((resolve) => {
        end = () => resolve(COMPLETE_RUN);
      });
    });
    await clock.advance(FIRST_DELAY_MS - 1);
    expect(at).toEqual([]);
    await clock.advance(1);
    expect(at).toEqual([FIRST_DELAY_MS]);
    await clock.advance(HOUR / 2);
    end();
    await clock.advance(0);
    await clock.advance(HOUR / 2 - 1);
    expect(at).toEqual([FIRST_DELAY_MS]);
    await clock.advance(1);
    expect(at).toEqual([FIRST_DELAY_MS, FIRST_DELAY_MS + HOUR]);
    void rounds.close();
  });

  test('the advice job never runs twice at once', async () => {
    let begun = 0;
    const { clock, rounds } = start(() => {
      begun += 1;
      return new Promise(() => undefined);
    });
    await clock.advance(FIRST_DELAY_MS);
    await clock.advance(10 * HOUR);
    expect([begun, clock.waiting]).toEqual([1, 0]);
    void rounds.close();
  });

  const table: readonly [
    result: AdviceRunResult,
    because: string,
    round: () => Promise<AdviceJobResult>,
    reachable: boolean,
  ][] = [
    ['done', 'every server answered', async () => COMPLETE_RUN, true],
    [
      'partly',
      'one of three servers could not be looked at',
      async () => ({ servers: 3, failed: 1, findings: 4 }),
      true,
    ],
    [
      'failed',
      'the store did not even name the servers',
      async () => {
        throw new Error('secret words of a store');
      },
      true,
    ],
    ['skipped', 'the store is away', async () => COMPLETE_RUN, false],
  ];
  test.each(table)(
    'the result of the advice job is %s when %s, and the job runs again in an hour',
    async (result, _, round, reachable) => {
      let asked = 0;
      const { clock, results, lines, rounds } = start(
        () => {
          asked += 1;
          return round();
        },
        async () => reachable,
      );
      await clock.advance(FIRST_DELAY_MS);
      expect(results).toEqual([result]);
      expect(lines).toMatchObject([{ level: result === 'done' ? 20 : 40, result }]);
      expect(JSON.stringify(lines)).not.toContain('secret');
      expect(lines[0]?.failed).toBe(result === 'partly' ? 1 : result === 'done' ? 0 : undefined);
      await clock.advance(HOUR);
      expect(results).toEqual([result, result]);
      expect(asked).toBe(reachable ? 2 : 0);
      void rounds.close();
    },
  );

  test('an advice job closed before its first run leaves no timer', () => {
    const { clock, rounds } = start(async () => COMPLETE_RUN);
    void rounds.close();
    expect(clock.waiting).toBe(0);
  });

  test('an advice job closed during a run ends at once, without a timer or further log lines', async () => {
    let end = (): void => undefined;
    let signal: AbortSignal | undefined;
    const { clock, results, lines, rounds } = start((_, ending) => {
      signal = ending;
      return new Promise((resolve) => {
        end = () => resolve(COMPLETE_RUN);
      });
    });
    await clock.advance(FIRST_DELAY_MS);
    void rounds.close();
    expect(signal?.aborted).toBe(true);
    end();
    await clock.advance(2 * HOUR);
    expect([results, lines, clock.waiting]).toEqual([[], [], 0]);
  });
});
