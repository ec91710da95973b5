// Thresholds are a setting of the service, and history says beforehand what others would have found: the built service, the
// built command, a real client.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BacktestResponse, BacktestSession } from '../../src/contract/backtest.ts';
import { ThresholdProposalResponse } from '../../src/contract/loop-feedback.ts';
import { LoopsResponse } from '../../src/contract/loops.ts';
import type { SessionsResponse } from '../../src/contract/sessions.ts';
import { replayLive } from '../session-replay/replay-live.ts';
import type { ReplaySession } from '../session-replay/replay-session.ts';
import { type RunningService, startService, until } from '../support/service.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

let folder: string;
let service: RunningService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolscope-thresholds-'));
  await writeFile(join(folder, 'patient.json'), '{"tools": {"publish": {"repeats": 10, "failures": 20}}}');
  await writeFile(join(folder, 'builtin.json'), '{}');
  await writeFile(
    join(folder, 'deaf.json'),
    '{"defaults": {"repeats": 32, "failures": 32, "sameAnswers": 32, "checks": 32, "failingChecks": 32}}',
  );
  service = await startService({ arguments: ['--loop-thresholds', join(folder, 'patient.json')] });
  await replayLive([repeats('five', 5, 'publish'), repeats('eight', 8, 'search')], service.base);
  await until(async () => {
    const { sessions } = await service.ask<SessionsResponse>('sessions?from=now-1h');
    return sessions
      .map(({ calls }) => calls)
      .sort()
      .join() === '5,8'
      ? true
      : undefined;
  });
  // It was one of four before, and less severe.
  await until(async () => ((await fetchLoops())[0]?.repeats === 8 ? true : undefined));
}, 180_000);

afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

function repeats(id: string, count: number, tool: string): ReplaySession {
  const calls = Array.from({ length: count }, (_, at) => ({
    tool,
    arguments: { id: 'n1' },
    answer: { content: [{ type: 'text' as const, text: 'Something went wrong.' }], isError: true },
    startsAtMs: at * 2_500 + (at % 3) * 900,
    lastsMs: 100,
    beside: false,
  }));
  return { id, about: '', lists: false, calls, line: { calls: [] } };
}

const fetchLoops = async () => LoopsResponse.parse(await service.ask('loops?from=now-1h')).loops;

interface DetectOutput {
  readonly sessions: readonly BacktestSession[];
  readonly stderr: string;
}

async function detect(...options: readonly string[]): Promise<DetectOutput> {
  const args = [MAIN, 'detect', '--from-store', '--data-dir', service.dataDirectory, ...options];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { sessions: lines.map((line) => BacktestSession.parse(JSON.parse(line))), stderr };
}

const changesOf = ({ sessions }: DetectOutput) =>
  Object.fromEntries(sessions.map(({ sessionId, verdict, change }) => [sessionId, `${verdict} ${change}`]));

test('the service detects by its own thresholds and shows them with each loop', async () => {
  const loops = await fetchLoops();
  expect(loops.map(({ sessionId }) => sessionId)).toEqual(['eight']);
  expect(loops[0]?.thresholds).toMatchObject({ repeats: 4, failures: 5 });
});

test('a backtest with the thresholds of the service finds the recorded loops', async () => {
  const judged = await detect();
  expect(changesOf(judged)).toEqual({ five: 'note same', eight: 'confirmed same' });
  expect(judged.stderr).toBe(
    '2 sessions, 1 with loops. Compared with the recorded loops: 0 new, 0 no longer found.\n',
  );
});

test('a backtest with other thresholds lists the loops that would be added and removed', async () => {
  const builtin = await detect('--thresholds', join(folder, 'builtin.json'), '--explain');
  expect(changesOf(builtin)).toEqual({ five: 'confirmed fires', eight: 'confirmed same' });
  expect(builtin.stderr).toContain('replayed five: confirmed (5 calls, 4 of them wasted)');
  expect(builtin.stderr).toContain('new: was not found when it was recorded');
  const deaf = await detect('--thresholds', join(folder, 'deaf.json'), '--explain');
  expect(changesOf(deaf)).toEqual({ five: 'none same', eight: 'none silent' });
  expect(deaf.stderr).toContain('recorded confirmed repeat: search was called 8 times');
});

test('a backtest can be limited to one session and to a recent range', async () => {
  expect((await detect('--session', 'five')).sessions.map(({ sessionId }) => sessionId)).toEqual(['five']);
  const answer = BacktestResponse.parse(await service.ask('loops/backtest?from=now-2h&to=now-1h'));
  expect(answer.sessions).toEqual([]);
  await expect(detect('--since', 'yesterday')).rejects.toThrow('--since is "yesterday". Expected');
});

test('feedback on a loop is kept, and thresholds that would have agreed with it are proposed and tried on history', async () => {
  const [loop] = await fetchLoops();
  const send = (method: string, body?: object) =>
    fetch(`${service.base}/api/v1/loops/${loop?.id}/feedback`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  const feedback = { verdict: 'not_loop', reason: 'it waits for a deploy', author: 'ana' };
  expect((await send('POST', feedback)).status).toBe(204);
  expect((await fetchLoops())[0]?.feedback).toMatchObject(feedback);
  const propose = async () =>
    ThresholdProposalResponse.parse(await service.ask('loops/threshold-proposal?from=now-1h'));
  const { changes, unsatisfied, history, thresholdsFile, ...rest } = await propose();
  expect(rest.feedback).toEqual({ total: 1, tried: 1, agreed: 0 });
  expect(changes.map(({ name, from, to }) => [name, from, to]).sort()).toEqual([
    // The same failure eight times is four kinds of loops; of the failures, only the newest six are counted.
    ['checks', 6, 9],
    ['failingChecks', 8, 9],
    ['failures', 5, 7],
    ['repeats', 4, 9],
  ]);
  expect(unsatisfied).toEqual([]);
  expect(history.sessions).toBe(2);
  expect(history.changed.map(({ sessionId, change }) => [sessionId, change])).toEqual([['eight', 'silent']]);
  await writeFile(join(folder, 'proposed.json'), thresholdsFile ?? '');
  const proposed = await detect('--thresholds', join(folder, 'proposed.json'));
  expect(changesOf(proposed)).toMatchObject({ five: 'note same', eight: expect.stringMatching(/silent$/) });
  expect((await send('DELETE')).status).toBe(204);
  expect((await propose()).feedback.total).toBe(0);
});

test('invalid thresholds are refused with the path of the wrong field', async () => {
  const bad = encodeURIComponent('{"defaults": {"repeat": 3}}');
  await expect(service.ask(`loops/backtest?thresholds=${bad}`)).rejects.toThrow(
    /400 .*defaults\.repeat is unknown; valid names: repeats/,
  );
});

test('the backtest command opens the store itself when no service runs', async () => {
  await service.halt();
  const judged = await detect('--thresholds', join(folder, 'builtin.json'));
  expect(changesOf(judged)).toEqual({ five: 'confirmed fires', eight: 'confirmed same' });
}, 180_000);

test('an invalid thresholds file stops the start of the service with a message that names the field', async () => {
  await writeFile(join(folder, 'wrong.json'), '{"defaults": {"repeats": 1}}');
  const args = [
    MAIN,
    'up',
    '--data-dir',
    join(folder, 'data'),
    '--loop-thresholds',
    join(folder, 'wrong.json'),
  ];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('defaults.repeats is 1; expected a whole number from 2 to 32'),
  });
});
