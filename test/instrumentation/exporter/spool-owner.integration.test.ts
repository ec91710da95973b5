// Which owners of spool files have ended, according to what this machine reports of processes.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseSegmentName } from '../../../src/instrumentation/exporter/segment-name.ts';
import {
  DEAD_AFTER_MS,
  getCurrentOwner,
  isOwnerDead,
  type SpoolOwner,
} from '../../../src/instrumentation/exporter/spool-owner.ts';

const own = getCurrentOwner();
const flipDigits = (from: number, to: number) =>
  [...own.location]
    .map((digit, at) => (at >= from && at < to ? (digit === '0' ? '1' : '0') : digit))
    .join('');
const RECENT_MS = 1_000;
const EXPIRED_MS = DEAD_AFTER_MS + 1;

describe('owner of a spool directory', () => {
  test.each<[string, Partial<SpoolOwner>, number, boolean, string]>([
    ['this process', {}, EXPIRED_MS, false, 'it is here'],
    ['another process of this pid', { startTicks: own.startTicks + 1 }, RECENT_MS, true, 'pids come again'],
    ['a pid that nobody has', { pid: 2 ** 31 }, RECENT_MS, true, 'nobody is there'],
    ['init', { pid: 1, startTicks: 0 }, EXPIRED_MS, false, 'without a start the pid decides'],
    ['a nobody without a start', { pid: 2 ** 31 - 2, startTicks: 0 }, RECENT_MS, true, 'nobody is there'],
    ['one of an earlier boot', { location: flipDigits(4, 8) }, RECENT_MS, true, 'a boot ends all processes'],
    [
      'one of another container, writing',
      { location: flipDigits(8, 12) },
      RECENT_MS,
      false,
      'it touched its file',
    ],
    ['one of another container, silent', { location: flipDigits(8, 12) }, EXPIRED_MS, true, 'it would have'],
    [
      'one of another machine, writing',
      { location: flipDigits(0, 8) },
      RECENT_MS,
      false,
      'it touched its file',
    ],
    ['one of another machine, silent', { location: flipDigits(0, 8) }, EXPIRED_MS, true, 'it would have'],
  ])(
    'the owner that is %s (touched %3$s) is recognised as alive or ended',
    (_what, part, touchedMs, expected, _because) => {
      expect(isOwnerDead({ ...own, ...part }, () => touchedMs)).toBe(expected);
    },
  );

  test('an owner that was killed but not yet reaped counts as ended', async () => {
    // The shell never waits for its child, so that stays a zombie.
    const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = Number(await new Promise((resolve) => shell.stdout.once('data', resolve)));
    try {
      const stat = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
      const startedAt = Number(stat()[19]);
      expect(isOwnerDead({ ...own, pid, startTicks: startedAt }, () => 0)).toBe(false);
      // Until it has become the second sleep, the shell would still bury its child.
      await expect.poll(() => readFileSync(`/proc/${shell.pid}/comm`, 'latin1')).toBe('sleep\n');
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => stat()[0]).toBe('Z');
      expect(isOwnerDead({ ...own, pid, startTicks: startedAt }, () => 0)).toBe(true);
    } finally {
      shell.kill('SIGKILL');
    }
  });
});

test.each([
  ['0000000000000001.seg', 'the journal’s'],
  ['1763732045123456-1a2b3c4d.12-34-aabbccddeef.seg', 'its place is short'],
  ['1763732045123456-1a2b3c4d.12-34-aabbccddeeff.seg.draft', 'it is no segment'],
  ['../1763732045123456-1a2b3c4d.12-34-aabbccddeeff.seg', 'it leaves the folder'],
])('%s is not a valid name in the spool, because %s', (name) => {
  expect(parseSegmentName(name)).toBeUndefined();
});
