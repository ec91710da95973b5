import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cleanEnvironment, MAIN } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

async function detect(input: string, args: readonly string[] = []) {
  const { code, stdout, stderr } = await runInProcess(['detect', ...args], input);
  return { code, stderr, verdicts: toVerdicts(stdout) };
}

const toVerdicts = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

function writeThresholds(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'toolscope-detect-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'thresholds.json');
  writeFileSync(path, text);
  return path;
}

const hash = (text: string): string => Buffer.from(text.padEnd(8, '_')).toString('hex').slice(0, 16);

/** A session in which one call is made `count` times. */
function repeatedCalls(sessionId: string, count: number): string {
  const calls = Array.from({ length: count }, () => ({
    tool: 'search',
    arguments: { q: 'ticket' },
    outcome: 'ok',
    resultFingerprint: hash('same'),
    resultMaskedFingerprint: hash('same'),
    resultBytes: 120,
  }));
  return JSON.stringify({ sessionId, calls });
}

const loop = repeatedCalls('loop', 6);
const check = repeatedCalls('check', 2);

describe('toolscope detect', () => {
  test('detect writes one verdict per line, in the order of the sessions, and nothing else', async () => {
    const { code, stderr, verdicts } = await detect(`${check}\n\n${loop}\n${check}\n`);
    expect([code, stderr]).toEqual([0, '']);
    expect(verdicts.map(({ sessionId, verdict }) => [sessionId, verdict])).toEqual([
      ['check', 'none'],
      ['loop', 'confirmed'],
      ['check', 'none'],
    ]);
    expect(verdicts[1].findings).toMatchObject([
      { kind: 'repeat', onsetIndex: 0, detectedAtIndex: 3, repeats: 6 },
    ]);
  });

  describe('toolscope detect --trees', () => {
    const fetches = (sessionId: string, rounds: number, over: object = {}) => {
      const calls = Array.from({ length: rounds * 8 }, (_, at) => ({
        tool: 'fetch',
        arguments: { page: at % 8 },
        resultFingerprint: hash(`page ${at % 8}`),
        resultBytes: 900,
        startedAtMs: 1_000_000 + at * 3_000,
        durationMs: 100,
        traceId: `${sessionId} ${at}`,
      }));
      return JSON.stringify({ sessionId, calls, ...over });
    };

    test('--trees writes the verdict of each run of several sessions after all sessions', async () => {
      const input = ['a', 'b', 'c'].map((id) => fetches(id, 4, { planId: 'p' })).join('\n');
      const { verdicts } = await detect(`${input}\n${check}\n`, ['--trees']);
      expect(verdicts).toHaveLength(5);
      expect(verdicts[4]).toMatchObject({ treeId: 'p', sessions: ['a', 'b', 'c'], verdict: 'confirmed' });
      expect(verdicts[4].findings).toMatchObject([{ kind: 'nothing_new', sessions: ['a', 'b', 'c'] }]);
    });

    test('--trees joins only sessions whose calls share a trace', async () => {
      const input = `${fetches('a', 1)}\n${fetches('b', 1).replaceAll('b 0', 'a 0')}\n${fetches('c', 1)}\n`;
      const { verdicts } = await detect(input, ['--trees']);
      expect(verdicts.slice(3)).toEqual([
        { treeId: 'a 0', sessions: ['a', 'b'], verdict: 'none', findings: [] },
      ]);
    });

    test('detect without --trees writes the same lines as before', async () => {
      const input = ['a', 'b', 'c'].map((id) => fetches(id, 4, { treeId: 't' })).join('\n');
      expect((await detect(input)).verdicts).toHaveLength(3);
    });
  });

  test('detect reads from a pipe until it ends', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'detect'], {
      input: `${check}\n${loop}`,
      encoding: 'utf8',
      env: cleanEnvironment(),
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(toVerdicts(stdout).map(({ verdict }) => verdict)).toEqual(['none', 'confirmed']);
  });

  test('detect accepts raw results and redacts them as the observer does', async () => {
    const calls = Array.from({ length: 6 }, (_, at) => ({
      tool: 'search',
      arguments: { q: 'ticket', timestamp: `2026-09-01T10:00:0${at}Z` },
      result: { content: [{ type: 'text', text: `at 10:00:0${at}: rain` }] },
    }));
    expect((await detect(JSON.stringify({ sessionId: 1, calls }))).verdicts).toMatchObject([
      { sessionId: 1, verdict: 'confirmed' },
    ]);
  });

  test.each([
    [50, 'note', 'a bare acknowledgement says little, three rounds of it are not enough'],
    [70, 'suspected', 'what is longer is an answer'],
  ])(
    'detect treats a result of %i bytes that is known only by its size like one that was read: %s, because %s',
    async (bytes, verdict) => {
      const lapOf = (answerOf: (tool: string) => object) =>
        Array.from({ length: 6 }, (_, at) => `tool_${at % 2}`).map((tool) => ({
          tool,
          arguments: {},
          ...answerOf(tool),
        }));
      const bySize = lapOf((tool) => ({
        resultFingerprint: hash(tool),
        resultMaskedFingerprint: hash(tool),
        resultBytes: bytes,
      }));
      const byText = lapOf((tool) => ({
        result: {
          content: [{ type: 'text', text: (bytes < 60 ? 'Done: ' : '').concat(tool).padEnd(bytes, '.') }],
        },
      }));
      const lines = [bySize, byText].map((calls, sessionId) => JSON.stringify({ sessionId, calls }));
      const { verdicts } = await detect(lines.join('\n'));
      expect(verdicts.map((judged) => judged.verdict)).toEqual([verdict, verdict]);
    },
  );

  test('detect writes no values of arguments', async () => {
    const { verdicts, stderr } = await detect(loop, ['--explain']);
    expect(JSON.stringify(verdicts) + stderr).not.toContain('ticket');
  });

  test('--explain writes sentences to stderr, also for a long session without a loop', async () => {
    const calls = Array.from({ length: 40 }, (_, at) => ({
      tool: 'read',
      arguments: { at },
      resultFingerprint: hash(`${at}`),
    }));
    const { stderr } = await detect(`${loop}\n${JSON.stringify({ sessionId: 'long', calls })}\n`, [
      '--explain',
    ]);
    expect(stderr).toMatch(
      /^loop: confirmed \(6 calls, 5 of them wasted\)\n {2}confirmed repeat: search was called 6 times/,
    );
    expect(stderr).toMatch(/\nlong: no loop \(40 calls\)\n/);
    expect(stderr).toContain('40 calls, but no loop');
  });

  test('--thresholds applies other thresholds', async () => {
    const patient = writeThresholds('{"defaults": {"checks": 20}, "tools": {"search": {"repeats": 8}}}');
    expect((await detect(loop, ['--thresholds', patient])).verdicts).toMatchObject([{ verdict: 'none' }]);
  });

  test.each<[string, string, string]>([
    [
      '{"defaults": {"repeat": 4}}',
      'defaults.repeat is unknown; valid names: repeats, ',
      'it is called repeats',
    ],
    [
      '{"defaults": {"repeats": 1}}',
      'defaults.repeats is 1; expected a whole number from 2 to 32',
      'one call repeats nothing',
    ],
    [
      '{"tools": {"search": {"repeats": 60}}}',
      'tools.search.repeats is 60; expected',
      'the window holds no sixty',
    ],
    [
      '{"repeats": 4}',
      'repeats is unknown; valid names: defaults, servers, tools',
      'it belongs under defaults',
    ],
    ['repeats: 4', 'is not JSON', 'it is YAML'],
  ])('detect refuses the thresholds %s: %s', async (text, told) => {
    const { code, stderr } = await detect(loop, ['--thresholds', writeThresholds(text)]);
    expect(code).toBe(2);
    expect(stderr).toContain(told);
    expect(stderr).toContain('[INVALID_SETTING]');
  });

  test('detect refuses a thresholds file that does not exist', async () => {
    const { code, stderr } = await detect(loop, ['--thresholds', '/nowhere/thresholds.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('the thresholds file /nowhere/thresholds.json cannot be read');
  });

  test.each<[string, string]>([
    ['{"sessionId": "a"}', 'line 2: calls: Invalid input: expected array, received undefined'],
    [
      '{"sessionId": "a", "calls": [{"tool": "x", "outcome": "fine"}]}',
      'line 2: calls.0.outcome: Invalid option',
    ],
    ['not json', 'line 2 is not JSON'],
  ])('detect names the line and the invalid field of %s', async (text, told) => {
    const { code, stderr, verdicts } = await detect(`${loop}\n${text}\n`);
    expect(code).toBe(2);
    expect(stderr).toContain(told);
    expect(verdicts).toHaveLength(1);
  });
});
