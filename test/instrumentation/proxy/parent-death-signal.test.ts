import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { withParentDeathSignal } from '../../../src/instrumentation/proxy/parent-death-signal.ts';

const directory = mkdtempSync(join(tmpdir(), 'toolscope-programs-'));
writeFileSync(join(directory, 'server'), '#!/bin/sh\n');
chmodSync(join(directory, 'server'), 0o755);
writeFileSync(join(directory, 'text'), 'no program');

afterAll(() => rmSync(directory, { recursive: true }));

describe.skipIf(process.platform !== 'linux')('a command line', () => {
  test.each([
    ['server', directory, true, 'it is a program of the PATH'],
    ['server', `/nowhere:${directory}`, true, 'each directory is looked at'],
    [join(directory, 'server'), undefined, true, 'it is a path'],
    ['server', '/nowhere', false, 'it is not there, and starting it says so'],
    ['text', directory, false, 'it cannot be run'],
    [directory, undefined, false, 'it is a directory'],
  ])(
    'the command %s with PATH %s ends with its parent: %s, because %s',
    (command, path, expected, _because) => {
      const line = { command, args: ['a', '--b'] };
      const { command: program, args } = withParentDeathSignal(line, path);
      if (!expected) return void expect({ command: program, args }).toEqual(line);
      expect(program).toMatch(/\/setpriv$/);
      expect(args).toEqual(['--pdeathsig', 'KILL', '--', command, 'a', '--b']);
    },
  );
});
