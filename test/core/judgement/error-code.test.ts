import { describe, expect, test } from 'vitest';
import { errorCodeOf } from '../../../src/core/judgement/error-code.ts';
import type { Ending } from '../../../src/core/judgement/judge.ts';
import type { Outcome } from '../../../src/core/model/outcome.ts';

const said = (text: string, more: object = {}, known: Partial<Ending> = {}): Ending => ({
  method: 'tools/call',
  kind: 'result',
  result: { isError: true, content: [{ type: 'text', text }], ...more },
  ...known,
});
const thrown = (type: string, code?: string | number, message = 'x') =>
  said(message, {}, { exception: { type, message, ...(code === undefined ? {} : { code }) } });

describe('the ladder of error codes', () => {
  test.each<[Outcome, Ending, string, string]>([
    [
      'protocol_error',
      { method: 'x', kind: 'error', error: { code: -32603, message: 'E_X: y' } },
      '-32603',
      'the protocol’s code comes first',
    ],
    [
      'tool_error',
      said('x', { _meta: { code: 'A_1' }, structuredContent: { code: 'B_2' } }),
      'A_1',
      '_meta before structure',
    ],
    [
      'tool_error',
      said('x', { structuredContent: { error: { code: 'A_1' }, code: 'B_2' } }),
      'A_1',
      'error.code before code',
    ],
    [
      'tool_error',
      said('x', { structuredContent: { error_code: 'QUOTA_EXCEEDED' } }),
      'QUOTA_EXCEEDED',
      'the third spelling',
    ],
    [
      'tool_error',
      said('x', { structuredContent: { error: 'rate_limited' } }),
      'rate_limited',
      'OAuth writes its codes so',
    ],
    ['tool_error', said('{"code":"C_3","message":"m"}'), 'C_3', 'JSON in the text'],
    [
      'tool_error',
      said('{"code":"C_3"}', { structuredContent: { code: 'B_2' } }),
      'B_2',
      'structure before text',
    ],
    ['tool_error', said('{"error":{"status":404}}'), 'HTTP_404', 'a status is a code where it is an error'],
    ['tool_error', said('{"status":200}'), 'tool_error', 'and none where it is not'],
    ['exception', thrown('TypeError', 'ENOENT'), 'ENOENT', 'the thrown code'],
    ['exception', thrown('AxiosError', 503), 'HTTP_503', 'the thrown status'],
    ['exception', thrown('NoteLockedError'), 'NoteLockedError', 'the class'],
    ['exception', thrown('Error'), 'exception', 'this class says nothing'],
    ['exception', thrown('McpError'), 'exception', 'nor does this one'],
    ['exception', thrown('java.io.IOException'), 'IOException', 'the class without its package'],
    ['exception', thrown('Error', undefined, 'NOTE_LOCKED: note 3'), 'NOTE_LOCKED', 'then its message'],
    ['tool_error', said('MCP error -32001: Request timed out'), '-32001', 'the prefix of SDK v1'],
    ['tool_error', said('NOTE_LOCKED: note 3 is locked'), 'NOTE_LOCKED', 'the leading token'],
    ['tool_error', said('Error: NOTE_LOCKED: note 3'), 'NOTE_LOCKED', 'Error: is skipped'],
    ['tool_error', said('ENOENT: no such file'), 'ENOENT', 'an errno is known'],
    ['tool_error', said('PLIMSOLL: not there'), 'tool_error', 'one shouted word may be data'],
    ['tool_error', said('something went wrong'), 'tool_error', 'at last the outcome’s name'],
    ['exception', said('x'), 'exception', 'at last the outcome’s name'],
    [
      'invalid_arguments',
      said('x', { structuredContent: { code: 'B_2' } }),
      '-32602',
      'these three are fixed',
    ],
    ['unknown_tool', said('x'), '-32602', 'these three are fixed'],
    ['invalid_output', said('x'), '-32602', 'these three are fixed'],
    [
      'timeout',
      { method: 'x', kind: 'cancelled', reason: 'MCP error -32001: Request timed out' },
      'timeout',
      'one code from every client',
    ],
    ['cancelled', { method: 'x', kind: 'cancelled' }, '', 'no error has no code'],
    ['ok', said('x', { structuredContent: { code: 'B_2' } }), '', 'no error has no code'],
  ])('%s: %j gives %j, because %s', (outcome, ending, code) => {
    expect(errorCodeOf(outcome, ending)).toBe(code);
  });
});
