import { describe, expect, test } from 'vitest';
import { parseWrapArguments } from '../../src/cli/wrap.ts';
import { UserError } from '../../src/errors.ts';

const NO_FLAGS = {
  name: undefined,
  env: undefined,
  capture: undefined,
  endpoint: undefined,
  guard: undefined,
};

describe('arguments of wrap', () => {
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
    [
      '--guard observe srv',
      { command: 'srv', args: [], guard: { mode: 'observe' } },
      'a guard that looks on',
    ],
    [
      '--guard enforce --guard-calls-per-tool-per-hour 9 --guard-loops off srv',
      {
        command: 'srv',
        args: [],
        guard: { mode: 'enforce', loops: 'off', budget: { callsPerToolPerHour: 9 } },
      },
      'a guard of one tool at a time',
    ],
    [
      '--guard nudge --guard-except wait,sleep_ms srv',
      { command: 'srv', args: [], guard: { mode: 'nudge', exceptTools: ['wait', 'sleep_ms'] } },
      'a guard that speaks, and not of waiting',
    ],
    [
      '--guard enforce --guard-preset typical --guard-expensive-tools render=3,export --guard-quota-text srv',
      {
        command: 'srv',
        args: [],
        guard: {
          mode: 'enforce',
          budget: { preset: 'typical', expensiveTools: { render: 3, export: 20 } },
          quotaText: true,
        },
      },
      'every limit of a guard has its flag',
    ],
    ['-- --odd', { command: '--odd', args: [] }, 'a command may look like an option'],
    ['--help', 'help', 'plain'],
    ['--url http://h/mcp --help', 'help', 'plain'],
    ['--name x -h', 'help', 'plain'],
    ['srv --help', { command: 'srv', args: ['--help'] }, 'help of the server is the server’s'],
  ])('wrap reads %s as %j, because of this: %s', (line, expected, _because) => {
    const parsed = parseWrapArguments(line.split(' '));
    expect(parsed).toEqual(typeof expected === 'string' ? expected : { ...NO_FLAGS, ...expected });
  });

  const NO_URL_FLAGS = { name: undefined, env: undefined, capture: undefined, endpoint: undefined };

  test.each<[string, object, string]>([
    ['--url http://h:3000/mcp', { host: '127.0.0.1', port: 0, allowedHosts: [] }, 'a free port of loopback'],
    [
      '--url http://h:3000/mcp --listen 3001',
      { host: '127.0.0.1', port: 3001, allowedHosts: [] },
      'only a port',
    ],
    ['--url http://h:3000/mcp --listen [::1]:3001', { host: '::1', port: 3001, allowedHosts: [] }, 'IPv6'],
    [
      '--url http://h:3000/mcp --listen 0.0.0.0:80 --allowed-hosts A.example,b --name x',
      { host: '0.0.0.0', port: 80, allowedHosts: ['a.example', 'b'], name: 'x' },
      'names that clients may address, in any case',
    ],
  ])('wrap reads "%s" as %j, because of this: %s', (line, expected, _because) => {
    const url = new URL('http://h:3000/mcp');
    expect(parseWrapArguments(line.split(' '))).toEqual({ ...NO_URL_FLAGS, url, ...expected });
  });

  test.each([
    ['', 'nothing to wrap'],
    ['--url http://h/mcp srv', 'a command and a URL'],
    ['--url http://h/mcp --guard enforce', 'a guard, which the proxy of HTTP does not have'],
    ['--url ftp://h/mcp', 'another protocol'],
    ['--url h:3000', 'no URL'],
    ['--url http://user:secret@h/mcp', 'a password that would be printed'],
    ['--url http://h/mcp --listen 127.0.0.1', 'an address without a port'],
    ['--url http://h/mcp --listen 127.0.0.1:65536', 'a port that cannot be'],
    ['--listen 127.0.0.1:3001 srv', 'an address without a URL'],
    ['--allowed-hosts a srv', 'names without a URL'],
    ['--', 'nothing to wrap'],
    ['--name x', 'nothing to wrap'],
    ['--nmae x srv', 'an unknown option'],
    ['--capture some srv', 'an unknown mode'],
    ['--name', 'an option without its value'],
    ['--guard maybe srv', 'an unknown mode of the guard'],
    ['--guard enforce --guard-loops all srv', 'unknown loops'],
    ['--guard enforce --guard-calls-per-tool-per-hour 1.5 srv', 'half a call'],
    ['--guard enforce --guard-preset strict srv', 'an unknown preset'],
    ['--guard enforce --guard-expensive-tools render=x srv', 'a limit that is no number'],
    ['--guard enforce --guard-expensive-tools =3 srv', 'a limit without a tool'],
    ['--guard-quota-text srv', 'a quota without a guard'],
    ['--guard-loops off srv', 'loops without a guard'],
    ['--guard-except wait srv', 'exceptions without a guard'],
    ['--guard enforce --guard-idempotency maybe srv', 'an unknown way with repeated keys'],
    ['--guard-recovery-hints package.json srv', 'hints without a guard'],
    ['--guard nudge --guard-recovery-hints package.json srv', 'a file that has no hints'],
    ['--guard nudge --guard-recovery-hints no-such-file.json srv', 'a file that is missing'],
    ['--guard nudge --guard-except wait,,sleep srv', 'a tool without a name'],
  ])('wrap refuses "%s", because of %s', (line, _because) => {
    expect(() => parseWrapArguments(line === '' ? [] : line.split(' '))).toThrow(UserError);
  });
});
