import { describe, expect, test } from 'vitest';
import { parseWrapArguments } from '../../src/cli/wrap.ts';
import { UserError } from '../../src/errors.ts';

const NOTHING = { name: undefined, env: undefined, capture: undefined, endpoint: undefined };

describe('wrap’s arguments', () => {
  test.each<[string, object | string, string]>([
    ['-- npx -y srv', { command: 'npx', args: ['-y', 'srv'] }, 'the usual form'],
    ['npx -y srv', { command: 'npx', args: ['-y', 'srv'] }, 'npm exec takes the -- away'],
    [
      'srv --name x -- y',
      { command: 'srv', args: ['--name', 'x', '--', 'y'] },
      'all behind the command is its own',
    ],
    ['--name files -- srv', { command: 'srv', args: [], name: 'files' }, 'an option with its value'],
    ['--name=files srv', { command: 'srv', args: [], name: 'files' }, 'the other spelling'],
    [
      '--env prod --capture full srv a',
      { command: 'srv', args: ['a'], env: 'prod', capture: 'full' },
      'several',
    ],
    ['--endpoint http://h:1 srv', { command: 'srv', args: [], endpoint: 'http://h:1' }, 'an address'],
    ['-- --odd', { command: '--odd', args: [] }, 'a command may look like an option'],
    ['--help', 'help', 'plain'],
    ['--name x -h', 'help', 'plain'],
    ['srv --help', { command: 'srv', args: ['--help'] }, 'help of the server is the server’s'],
  ])('%s is read as %j, because of this: %s', (line, expected, _because) => {
    const parsed = parseWrapArguments(line.split(' '));
    expect(parsed).toEqual(typeof expected === 'string' ? expected : { ...NOTHING, ...expected });
  });

  test.each([
    ['', 'nothing to wrap'],
    ['--', 'nothing to wrap'],
    ['--name x', 'nothing to wrap'],
    ['--nmae x srv', 'an unknown option'],
    ['--capture some srv', 'an unknown mode'],
    ['--name', 'an option without its value'],
  ])('"%s" are refused, because of %s', (line, _because) => {
    expect(() => parseWrapArguments(line === '' ? [] : line.split(' '))).toThrow(UserError);
  });
});
