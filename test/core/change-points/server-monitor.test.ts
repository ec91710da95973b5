import { describe, expect, test } from 'vitest';
import type { ChangePoint, ToolMinute } from '../../../src/core/change-points/change-point.ts';
import {
  createServerMonitor,
  restoreServer,
  type ServerMonitorState,
  stepServer,
} from '../../../src/core/change-points/server-monitor.ts';

/** Begin of an hour. */
const FIRST = 29_600_040;

/** Twenty calls, of which some fail, each of its own session. */
function createMinute(minute: number, failed: number, code = 'TIMEOUT'): ToolMinute {
  const failures = Array.from({ length: failed }, (_, at) => ({
    ...{ code, session: `${minute}-${at}`, calls: 1, others: 0 },
  }));
  return { tool: 'search', calls: 20, cappedCalls: 20, failures, latencies: [[60, 20]] };
}

/** @param failures of each minute */
function run(state: ServerMonitorState, failures: readonly number[], code?: string): ChangePoint[] {
  return failures.flatMap((failed) => {
    const minute = state.minute + 1;
    return stepServer(state, minute, [createMinute(minute, failed, code)]);
  });
}

/** Three hours in which one call in twenty fails. */
const USUAL = Array.from({ length: 180 }, () => 1);

describe('a server', () => {
  test('has one open change of the code that began to fail, which ends when it stops', () => {
    const state = createServerMonitor(FIRST);
    expect(run(state, USUAL)).toEqual([]);
    const [opened, ...others] = run(state, [8, 7, 8, 7, 8, 7]);
    expect(others, 'the tool and the server have no second change').toEqual([]);
    expect(opened).toMatchObject({ kind: 'errors', direction: 'rose', code: 'TIMEOUT', state: 'open' });
    expect(opened?.onset).toBe(FIRST + 180);
    const [ended] = run(state, USUAL.slice(0, 20));
    expect(ended).toMatchObject({ onset: FIRST + 180, ended: FIRST + 186, state: 'ended' });
  });

  test('continues from a stored state as if it had not been stored', () => {
    const state = createServerMonitor(FIRST);
    run(state, USUAL);
    const stored: ServerMonitorState = JSON.parse(JSON.stringify(state));
    restoreServer(stored);
    expect(run(stored, [8, 7, 8, 7])).toEqual(run(state, [8, 7, 8, 7]));
  });

  test('has a change of a code that it never had', () => {
    const state = createServerMonitor(FIRST);
    run(state, USUAL);
    const [opened] = run(state, [5, 5, 5], 'HTTP_503');
    expect(opened).toMatchObject({ code: 'HTTP_503', onset: FIRST + 180 });
  });

  test('makes a lower error rate usual at once', () => {
    const state = createServerMonitor(FIRST);
    run(
      state,
      Array.from({ length: 180 }, () => 6),
    );
    const changes = run(
      state,
      Array.from({ length: 60 }, () => 0),
    );
    expect(changes.map(({ direction, state: now }) => `${direction} ${now}`)).toEqual(['fell usual']);
  });
});
