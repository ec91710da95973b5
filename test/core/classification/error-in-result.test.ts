import { describe, expect, test } from 'vitest';
import { isErrorInResult } from '../../../src/core/classification/error-in-result.ts';

const text = (line: string) => ({ content: [{ type: 'text', text: line }] });
const structured = (structuredContent: unknown) => ({ content: [], structuredContent });

describe('errors in successful results', () => {
  test.each<[unknown, boolean, string]>([
    [text('Error: file not found'), true, 'it begins as errors do'],
    [text('  error executing query: no such table'), true, 'in lower case too'],
    [text('Failed to open the page'), true, 'failed to'],
    [text('Could not find the note'), true, 'could not'],
    [text('No presentation is currently loaded. Open one first.'), true, 'a state that prevents everything'],
    [text('Traceback (most recent call last):\n  File'), true, 'Python'],
    [text('ValueError: bad'), true, 'a class and a colon'],
    [text('HTTP 404: gone'), true, 'a status line'],
    [text('500 Internal Server Error'), true, 'a status line'],
    [text('{"error":"not found"}'), true, 'JSON says error'],
    [text('{"success":false}'), true, 'JSON says no'],
    [text('{"status":"failed"}'), true, 'JSON says failed'],
    [structured({ statusCode: 503 }), true, 'a status of a server'],
    [structured({ ok: false }), true, 'structure says no'],
    [text('No notes found'), false, 'an empty answer is an answer'],
    [text('Error handling in Go is explicit.'), false, 'a page about errors'],
    [text('The error was fixed.'), false, 'a sentence about one'],
    [text('{"error":null,"rows":[]}'), false, 'it says there was none'],
    [text('{"errors":[],"success":true}'), false, 'it says there was none'],
    [text('{"status":200}'), false, 'fine'],
    [text(`Error: ${'x'.repeat(3000)}`), false, 'a long text is a document'],
    [structured({ error: '' }), false, 'nothing said'],
    [text('42'), false, 'fine'],
    [text(''), false, 'fine'],
    [
      {
        content: [
          { type: 'text', text: 'Result:' },
          { type: 'text', text: '{"success":false}' },
        ],
      },
      true,
      'JSON may be a block of its own',
    ],
    [undefined, false, 'nothing'],
    ['Error: x', false, 'no result at all'],
  ])('whether %j reports an error is %s, because %s', (result, expected) => {
    expect(isErrorInResult(result)).toBe(expected);
  });
});
