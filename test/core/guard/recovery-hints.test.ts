// The file of recovery hints, which a person may have edited, and which error gets which line.

import { describe, expect, test } from 'vitest';
import { findRecoveryHint, parseRecoveryHints } from '../../../src/core/guard/recovery-hints.ts';
import { toGuardPolicy } from '../../../src/core/guard/to-guard-policy.ts';

const hint = { tool: 'edit_note', code: 'CONFLICT', text: 'Read it again.' };

describe('recovery hints', () => {
  test.each<[unknown, 'read' | 'refused', string]>([
    [{ hints: [hint] }, 'read', 'it is what the command writes'],
    [{ hints: [{ ...hint, argument: 'version' }] }, 'read', 'an error may be about an argument'],
    [{ hints: [] }, 'read', 'nothing has been learned yet'],
    [{}, 'refused', 'it is another file'],
    ['text', 'refused', 'it is no object'],
    [{ hints: [{ ...hint, text: 7 }] }, 'refused', 'a text is none'],
    [{ hints: [{ ...hint, code: '' }] }, 'refused', 'a hint for every error helps with none'],
    [
      { hints: [{ ...hint, text: 'two\nlines' }] },
      'refused',
      'a second line could look like the answer of the tool',
    ],
    [{ hints: [{ ...hint, text: 'x'.repeat(501) }] }, 'refused', 'a hint is read with each error'],
    [{ hints: Array.from({ length: 1_001 }, () => hint) }, 'refused', 'a file is bounded'],
  ])('%j is %s, because %s', (value, status) => {
    expect(parseRecoveryHints(value).status).toBe(status);
  });

  test.each([
    ['CONFLICT', '', true, 'code and argument are those of the hint'],
    ['LOCKED', '', false, 'it is another error'],
    ['CONFLICT', 'id', false, 'it is about another argument'],
  ])('the error %s about the argument "%s" gets the line: %s, because %s', (code, argument, expected) => {
    const line = findRecoveryHint([hint], { code, argument });
    expect(line).toBe(expected ? '[toolscope guard] Read it again.' : undefined);
  });

  test('invalid hints are named and leave the rest of the guard as it is', () => {
    const policy = toGuardPolicy({ mode: 'nudge', recoveryHints: JSON.parse('{"hints":[{}]}') });
    expect(policy).toMatchObject({ loops: true, recoveryHints: undefined });
    expect(policy?.problem).toMatch(/^guard.recoveryHints hints\[0\] needs/);
  });
});
