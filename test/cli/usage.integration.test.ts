import { describe, expect, test } from 'vitest';
import { SETTING_NAMES, SETTINGS } from '../../src/service/config/settings.ts';
import { cleanEnvironment, startCli } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

describe('toolscope', () => {
  test('--version prints the version of the package and nothing else', async () => {
    const { code, stdout, stderr } = await startCli(['--version']).ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('--help lists the commands and the exit codes on stdout', async () => {
    const { code, stdout, stderr } = await runInProcess(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ {2}up .*start the service/m);
    expect(stdout).toMatch(/^ {2}wrap .*run an MCP server/m);
    for (const exitCode of ['0 ', '1 ', '2 ', '70'])
      expect(stdout).toMatch(new RegExp(`^ {2}${exitCode} `, 'm'));
  });

  test('up --help lists every flag of the settings table, with examples', async () => {
    const { code, stdout } = await runInProcess(['up', '--help']);
    expect(code).toBe(0);
    const flags = SETTING_NAMES.flatMap((name) => SETTINGS[name].flag ?? []);
    expect(flags.filter((flag) => !stdout.includes(flag))).toEqual([]);
    expect(stdout).toMatch(/Examples:\n {2}toolscope up/);
    expect(stdout).toContain('Exit codes:');
  });

  test.each([
    [[], /Usage: toolscope/, 'there is no command'],
    [['upp'], /unknown command 'upp'\n\(Did you mean up\?\)/, 'it is not a command, but nearly one'],
    [
      ['up', '--prot', '1'],
      /unknown option '--prot'\n\(Did you mean --port\?\)/,
      'it is not an option, but nearly one',
    ],
    [['up', '--port'], /argument missing/, 'an option without its value says nothing'],
    [['up', '--port', 'many'], /--port is "many". Expected a whole number.*INVALID_SETTING/, 'it is no port'],
    [['up', '--config', '/nowhere.json'], /\/nowhere\.json.*cannot be read/, 'the file was named'],
    [['up', 'extra'], /too many arguments/, 'a word without a meaning is a mistake'],
  ])('toolscope with %j exits with 2 and prints %s because %s', async (args, message) => {
    const { code, stdout, stderr } = await runInProcess(args);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  // These come as far as the service, which a process of the build loads sooner than this one.
  test.each([
    [
      ['up', '--host', '0.0.0.0'],
      /0\.0\.0\.0 is not a loopback.*PUBLIC_BIND_REFUSED/s,
      'anyone could read it',
    ],
    [
      ['up', '--data-dir', '/dev/null/nowhere'],
      /\/dev\/null\/nowhere cannot be written/,
      'there is no place to write',
    ],
  ])('the process of toolscope with %j exits with 2 and prints %s because %s', async (args, message) => {
    const { code, stdout, stderr } = await startCli(args).ended;
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('usage errors print no escape sequences', async () => {
    const env = cleanEnvironment({ NO_COLOR: '1', FORCE_COLOR: '0' });
    const { stdout, stderr } = await startCli(['up', '--help'], env).ended;
    expect(stdout + stderr).not.toContain('\u001b');
  });
});
