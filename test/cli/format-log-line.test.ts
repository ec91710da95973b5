import { describe, expect, test } from 'vitest';
import { formatLogLine } from '../../src/cli/format-log-line.ts';

const at = (fields: object): string =>
  formatLogLine(`${JSON.stringify({ level: 30, time: Date.parse('2026-03-11T09:05:07'), ...fields })}\n`);

describe('log on a terminal', () => {
  test.each<[fields: object, line: string, because: string]>([
    [{ msg: 'service is ready' }, '09:05:07 info  service is ready\n', 'time, level and message come first'],
    [{ level: 40, msg: 'm', days: 3 }, '09:05:07 warn  m  days=3\n', 'other fields follow'],
    [{ msg: 'm', store: 'in /tmp' }, '09:05:07 info  m  store="in /tmp"\n', 'text with a space is quoted'],
    [
      { level: 50, msg: 'm', err: { type: 'Error', message: 'no disk', stack: 'at x' } },
      '09:05:07 error m  error="no disk"\n',
      'a stack is for the JSON log',
    ],
  ])('%j is written as %j because %s', (fields, line) => {
    expect(at(fields)).toBe(line);
  });

  test('a line that is not JSON is written as it is', () => {
    expect(formatLogLine('plain\n')).toBe('plain\n');
  });
});
