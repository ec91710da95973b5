// The written corpus: what people do with MCP servers, and how agents loop on them. The verdict of each session is computed under
// three keys, and every sentence is checked against the arguments and results that it describes.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseSessionLine } from '../../../src/cli/detect/parse-session-line.ts';
import { detectLoops } from '../../../src/core/loops/detector.ts';
import type { LoopFinding } from '../../../src/core/loops/finding.ts';
import { toCanonicalText } from '../../../src/core/values/canonical-text.ts';
import { createRedactions } from '../../evaluate/evaluate-sessions.ts';

const DIRECTORY = new URL('../../fixtures/loops/', import.meta.url);

const Line = z.object({
  sessionId: z.string(),
  label: z.enum(['clean', 'loop']),
  kind: z.string(),
  because: z.string(),
  calls: z.array(z.object({ arguments: z.unknown().optional(), result: z.unknown().optional() })),
});

const sessions = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith('.jsonl'))
  .flatMap((file) => readFileSync(new URL(file, DIRECTORY), 'utf8').split('\n').filter(Boolean))
  .map((text) => ({ text, line: Line.parse(JSON.parse(text)) }));

/**
 * One intent in ever other words, with no result each time: it differs from a thorough search only by what the words mean, which the
 * detector never sees.
 */
const UNDETECTED_SESSIONS: readonly string[] = [
  'mail-drifting-search',
  'supabase-rls-always-empty',
  'search-empty-string',
];

const redactions = createRedactions(3);

describe('sessions of the corpus', () => {
  test.each(sessions.map(({ text, line }) => [line.label, line.sessionId, line.because, text] as const))(
    'the session is %s: %s, because %s',
    (label, sessionId, _because, text) => {
      const verdicts = redactions.map((by) => detectLoops(parseSessionLine(text, 1, by).calls).verdict);
      const isLoop = ['suspected', 'confirmed'].includes(verdicts[0] ?? '');
      expect(new Set(verdicts).size).toBe(1);
      expect(isLoop).toBe(label === 'loop' && !UNDETECTED_SESSIONS.includes(sessionId));
    },
  );
});

describe('sentence of a finding', () => {
  const found = sessions.flatMap(({ text, line }) =>
    detectLoops(parseSessionLine(text, 1, redactions[0] ?? createRedactions(1)[0]!).calls).findings.map(
      (finding) => [line.sessionId, finding.kind, finding, line.calls] as const,
    ),
  );

  test.each(found.filter(([, , { sentence }]) => / with the same arguments(?:,| among)/.test(sentence)))(
    'the sentence of %s (%s) says "the same arguments" only for exactly equal ones',
    (_id, _kind, finding, calls) => {
      const said = finding.calls.map(({ index }) => toCanonicalText(calls[index]?.arguments ?? {}));
      expect(said.every((text, at) => at < finding.period || text === said[at - finding.period])).toBe(true);
    },
  );

  test.each(
    found.filter(([, , { sentence }]) => /, and the same answer came back(?! except)/.test(sentence)),
  )(
    'the sentence of %s (%s) says "the same answer" only for exactly equal ones',
    (_id, _kind, finding, calls) => {
      const said = finding.calls.map(({ index }) => comparableResult(calls[index]?.result));
      expect(said.every((text, at) => at < finding.period || text === said[at - finding.period])).toBe(true);
    },
  );

  test('the sentence names the arguments left out of the comparison', () => {
    const named = found.filter(([, , { sentence }]) => sentence.includes('except '));
    expect(named.length).toBeGreaterThan(3);
    for (const [, , finding, calls] of named)
      expect(changedArguments(finding, calls)).toEqual([...finding.changedArguments].sort());
  });

  test('the sentence of every loop names its cost and its cause', () => {
    const loops = found.filter(([, , { severity }]) => severity !== 'note');
    expect(loops.length).toBeGreaterThan(50);
    for (const [, , { cause, causeSentence, wastedCalls, wastedTokens }] of loops) {
      expect(cause).not.toBe('');
      expect(causeSentence).toMatch(/[.?]$/);
      expect(wastedCalls).toBeGreaterThan(0);
      expect(wastedTokens).toBeGreaterThan(0);
    }
  });
});

/** Without what the detector never counts: whether it is an error, and `_meta`. */
function comparableResult(result: unknown): string {
  const { isError: _, _meta: __, ...rest } = z.looseObject({}).parse(result ?? {});
  return toCanonicalText(rest);
}

/** Names of arguments that differ from round to round. */
function changedArguments(finding: LoopFinding, calls: z.infer<typeof Line>['calls']): readonly string[] {
  const names = new Set<string>();
  const argumentsOfCalls = finding.calls.map(({ index }) =>
    z.record(z.string(), z.unknown()).parse(calls[index]?.arguments ?? {}),
  );
  for (const [at, args] of argumentsOfCalls.entries()) {
    const before = argumentsOfCalls[at - finding.period];
    if (before === undefined) continue;
    for (const name of new Set([...Object.keys(args), ...Object.keys(before)]))
      if (toCanonicalText(args[name]) !== toCanonicalText(before[name])) names.add(name);
  }
  return [...names].sort();
}
