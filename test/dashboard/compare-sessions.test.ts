// Two sessions call by call: how far they did the same, and where they part.
import { describe, expect, test } from 'vitest';
import {
  compareSessions,
  countCallsByTool,
  describeSessionComparison,
} from '../../dashboard/src/pages/sessions/compare-sessions.ts';
import type { SessionCallRow } from '../../src/contract/sessions.ts';
import { createSessionCalls } from './fixture-session-calls.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const [TEMPLATE] = createSessionCalls(NOW);
if (!TEMPLATE) throw new Error('The fixture has no calls.');

/** "search/limit:1=ok": tool, arguments and how it ended, as far as known. */
function toCalls(words: string): SessionCallRow[] {
  return words
    .split(' ')
    .filter(Boolean)
    .map((word, at) => {
      const [, tool = '', given = '', code = ''] = /^(\w+)(?:\/([\w:]+))?(?:=(\w+))?$/.exec(word) ?? [];
      const [name, value] = given.split(':');
      return {
        ...(TEMPLATE as SessionCallRow), // it was found above
        ...{ method: 'tools/call', tool, target: '', fingerprintKeyId: 'k1', spanId: String(at) },
        argumentsFingerprint: given && `f${given}`,
        argumentsMaskedFingerprint: given && `m${given}`,
        argumentFingerprints: name && value ? { [name]: value } : {},
        ...{ resultFingerprint: '', resultMaskedFingerprint: '', errorMessage: '', code },
        outcome: code ? ('tool_error' as const) : ('ok' as const),
        fault: code ? ('server' as const) : ('none' as const),
      };
    });
}

describe('comparison of two sessions', () => {
  test.each<[string, string, string, string]>([
    ['', '', 'Neither session called a tool.', 'there is nothing to compare'],
    ['search get', 'search get', 'Both made the same 2 calls.', 'nothing is known to differ'],
    ['search', 'get', 'They diverge at call 1: A called search, B called get.', 'no call is the same'],
    [
      'search get',
      'search',
      'The first call is the same. They diverge at call 2: A called get, B had ended.',
      'one of them stopped',
    ],
    [
      'search/limit:1 get move',
      'search/limit:2 get add',
      'They differ at call 1: both called search, with different arguments (limit). They diverge at call 3: A called move, B called add.',
      'arguments come before tools',
    ],
    [
      'search get=HTTP_404 add',
      'search get add',
      'The first call is the same. They differ at call 2: both called get, with different results. They never diverge.',
      'one of them failed and went on all the same',
    ],
    [
      'a b c d',
      'a b c e',
      'The first 3 calls are the same. They diverge at call 4: A called d, B called e.',
      'they went together for a while',
    ],
  ])('%j compared with %j: %s because %s', (a, b, sentence) => {
    expect(describeSessionComparison(compareSessions(toCalls(a), toCalls(b)))).toBe(sentence);
  });

  test('sessions fingerprinted with different keys or none have no known difference', () => {
    const other = toCalls('search/limit:2').map((call) => ({ ...call, fingerprintKeyId: 'k2' }));
    expect(compareSessions(toCalls('search/limit:1'), other).firstDifference).toBeUndefined();
    expect(compareSessions(toCalls('search/limit:1'), toCalls('search')).firstDifference).toBeUndefined();
  });
});

test('calls are counted by tool, with the largest difference first', () => {
  expect(countCallsByTool(toCalls('get get get=HTTP_404 add'), toCalls('get add move'))).toEqual([
    { tool: 'get', a: { calls: 3, errors: 1 }, b: { calls: 1, errors: 0 } },
    { tool: 'move', a: { calls: 0, errors: 0 }, b: { calls: 1, errors: 0 } },
    { tool: 'add', a: { calls: 1, errors: 0 }, b: { calls: 1, errors: 0 } },
  ]);
});
