// Who of the owners of files is gone, told from what this machine says of processes.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseSegmentName } from '../../../src/host/delivery/spool-name.ts';
import { GONE_AFTER_MS, isGone, ownOwner, type SpoolOwner } from '../../../src/host/delivery/spool-owner.ts';

const own = ownOwner();
const flipped = (from: number, to: number) =>
  [...own.place].map((digit, at) => (at >= from && at < to ? (digit === '0' ? '1' : '0') : digit)).join('');
const LATELY = 1_000;
const LONG_AGO = GONE_AFTER_MS + 1;

describe('an owner', () => {
  test.each<[string, Partial<SpoolOwner>, number, boolean, string]>([
    ['this process', {}, LONG_AGO, false, 'it is here'],
    ['another process of this pid', { startedAt: own.startedAt + 1 }, LATELY, true, 'pids come again'],
    ['a pid that nobody has', { pid: 2 ** 31 }, LATELY, true, 'nobody is there'],
    ['init', { pid: 1, startedAt: 0 }, LONG_AGO, false, 'without a start the pid decides'],
    ['a nobody without a start', { pid: 2 ** 31 - 2, startedAt: 0 }, LATELY, true, 'nobody is there'],
    ['one of an earlier boot', { place: flipped(4, 8) }, LATELY, true, 'a boot ends all processes'],
    ['one of another container, writing', { place: flipped(8, 12) }, LATELY, false, 'it touched its file'],
    ['one of another container, silent', { place: flipped(8, 12) }, LONG_AGO, true, 'it would have'],
    ['one of another machine, writing', { place: flipped(0, 8) }, LATELY, false, 'it touched its file'],
    ['one of another machine, silent', { place: flipped(0, 8) }, LONG_AGO, true, 'it would have'],
  ])('that is %s (touched %3$s)', (_what, part, touchedMs, expected, _because) => {
    expect(isGone({ ...own, ...part }, () => touchedMs)).toBe(expected);
  });

  test('that was killed and not buried yet is gone', async () => {
    // The shell never waits for its child, so that stays a zombie.
    const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = Number(await new Promise((resolve) => shell.stdout.once('data', resolve)));
    try {
      const stat = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
      const startedAt = Number(stat()[19]);
      expect(isGone({ ...own, pid, startedAt }, () => 0)).toBe(false);
      // Until it has become the second sleep, the shell would still bury its child.
      await expect.poll(() => readFileSync(`/proc/${shell.pid}/comm`, 'latin1')).toBe('sleep\n');
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => stat()[0]).toBe('Z');
      expect(isGone({ ...own, pid, startedAt }, () => 0)).toBe(true);
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
])('%s is no name of the spool, because %s', (name) => {
  expect(parseSegmentName(name)).toBeUndefined();
});
