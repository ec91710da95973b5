import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CAPTURE_MODES, type CaptureMode } from '../../../src/core/model/tool-call.ts';
import { createFingerprinter, similarityDistance } from '../../../src/core/values/fingerprint.ts';
import {
  type Reduction,
  reduceArgumentPath,
  reduceArguments,
  reduceMessage,
  reduceResult,
  resultSteps,
  toCallPayload,
} from '../../../src/core/values/reduction.ts';

const fingerprinter = createFingerprinter(new Uint8Array(32).fill(3));
const inMode = (capture: CaptureMode): Reduction => ({ capture, fingerprinter });
const SHAPE = inMode('shape');
const text = (...parts: string[]) => ({ content: parts.map((part) => ({ type: 'text', text: part })) });
const SCHEMA = { properties: { zorp: { type: 'string' }, filter: { properties: { tags: { items: {} } } } } };

/** A word that is nobody's vocabulary, as an agent or a tool might put it anywhere. */
const strange = fc.string({ unit: fc.constantFrom(...'bcdfghjklmnpqrvwxz'), minLength: 5, maxLength: 12 });

describe('reduced arguments', () => {
  test.each<[unknown, unknown, boolean, boolean, string]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true, true, 'the order of keys says nothing'],
    [
      { at: '2026-11-21T10:00:00Z' },
      { at: '2026-11-22T10:00:00Z' },
      false,
      false,
      'a time may be what is asked for',
    ],
    [{ q: 1, request_id: 'a' }, { q: 1, request_id: 'b' }, false, true, 'a request id never is'],
    [{ in: { q: 1, nonce: 1 } }, { in: { q: 1, nonce: 2 } }, false, true, 'nor further down'],
    [{ page: 1 }, { page: 2 }, false, false, 'another page is another call'],
    [undefined, {}, true, true, 'SDKs treat absent arguments as none'],
    [{ query: 'a' }, { query: 'b' }, false, false, 'values count'],
    [
      { q: `${'x'.repeat(9000)} 1` },
      { q: `${'x'.repeat(9000)} 2` },
      false,
      false,
      'a long text is hashed, not forgotten',
    ],
  ])('%j and %j are equal exactly: %s, masked: %s, because %s', (a, b, exact, masked) => {
    const [left, right] = [reduceArguments(a, SCHEMA, SHAPE), reduceArguments(b, SCHEMA, SHAPE)];
    expect(left.argumentsFingerprint === right.argumentsFingerprint).toBe(exact);
    expect(left.argumentsMaskedFingerprint === right.argumentsMaskedFingerprint).toBe(masked);
  });

  test('fingerprint each top-level argument by its value', () => {
    const one = reduceArguments({ zorp: 'x', limit: 1 }, SCHEMA, SHAPE).argumentFingerprints;
    const two = reduceArguments({ limit: 2, zorp: 'x' }, SCHEMA, SHAPE).argumentFingerprints;
    expect(Object.keys(one)).toEqual(['zorp', 'limit']);
    expect(two['zorp']).toBe(one['zorp']);
    expect(two['limit']).not.toBe(one['limit']);
  });

  test('tell undeclared names apart without saying them', () => {
    const names = Object.keys(
      reduceArguments({ wellies: 1, plimsoll: 1 }, SCHEMA, SHAPE).argumentFingerprints,
    );
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/^<key>:[0-9a-f]{6}$/);
  });

  test('say how large they were and which key was used', () => {
    expect(reduceArguments({ q: 'ä' }, SCHEMA, SHAPE)).toMatchObject({
      argumentsBytes: 10,
      fingerprintKeyId: fingerprinter.keyId,
    });
    expect(reduceArguments(undefined, SCHEMA, SHAPE).argumentsBytes).toBe(0);
  });
});

describe('a reduced result', () => {
  test.each<[unknown, unknown, boolean, boolean, string]>([
    [
      text('a'),
      { ...text('a'), _meta: { traceparent: '00-1' } },
      true,
      true,
      '_meta changes with every call',
    ],
    [text('a'), { ...text('a'), isError: true }, true, true, 'the same words are the same answer'],
    [text('took 12 ms'), text('took 15 ms'), false, true, 'durations are masked'],
    [text('a', 'b'), text('a\nb'), true, true, 'how text is split into blocks says nothing'],
    [
      { ...text('a'), structuredContent: { n: 1 } },
      { ...text('a'), structuredContent: { n: 2 } },
      false,
      false,
      'structure counts',
    ],
    [
      { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
      { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAB' }] },
      false,
      false,
      'so does binary content',
    ],
    [
      text(`${'x'.repeat(9000)}1${'x'.repeat(9000)}`),
      text(`${'x'.repeat(9000)}2${'x'.repeat(9000)}`),
      false,
      true,
      'exact sees the middle, masked does not',
    ],
    [
      { contents: [{ uri: 'a:b', text: 'x' }], _meta: { n: 1 } },
      { contents: [{ uri: 'a:b', text: 'x' }] },
      true,
      true,
      'other methods have results too',
    ],
  ])('%j and %j are equal exactly: %s, masked: %s, because %s', (a, b, exact, masked) => {
    const [left, right] = [reduceResult(a, SHAPE), reduceResult(b, SHAPE)];
    expect(left.resultFingerprint === right.resultFingerprint).toBe(exact);
    expect(left.resultMaskedFingerprint === right.resultMaskedFingerprint).toBe(masked);
  });

  test('has lines, bytes and a shape', () => {
    const result = { ...text('one\ntwo', 'three'), structuredContent: { zorp: 'x', count: 2 } };
    expect(reduceResult(result, SHAPE, { schema: SCHEMA })).toMatchObject({
      resultLines: 4,
      resultBytes: Buffer.byteLength(JSON.stringify(result)),
      resultShape:
        '{"content":[2,{"type":"=text","text":"string:7"},{"type":"=text","text":"string:5"}],"structuredContent":{"zorp":"string:1","count":"int"}}',
    });
  });

  test('of nothing is empty', () => {
    expect(reduceResult(undefined, inMode('full'))).toEqual({
      resultFingerprint: '',
      resultMaskedFingerprint: '',
      resultSimilarity: '',
      resultTrait: '',
      resultShape: '',
      resultLines: 0,
      resultBytes: 0,
    });
  });

  test('is near to one with a little noise and far from another', () => {
    const page = (noise: number) =>
      text(Array.from({ length: 120 }, (_, n) => `item ${n === 7 ? noise : n * 7} in list`).join('\n'));
    const similarity = (result: unknown) => reduceResult(result, SHAPE).resultSimilarity;
    expect(similarityDistance(similarity(page(1)), similarity(page(2)))).toBeLessThanOrEqual(16);
    const other = text(Array.from({ length: 120 }, (_, n) => `wholly other words ${n * n}`).join('\n'));
    expect(similarityDistance(similarity(page(1)), similarity(other))).toBeGreaterThanOrEqual(20);
  });

  test('in steps is the same as at once, and a megabyte takes several', () => {
    const result = text('word '.repeat(200_000));
    const steps = [...resultSteps(result, SHAPE)];
    expect(steps.length).toBeGreaterThanOrEqual(5);
    const iterator = resultSteps(result, SHAPE);
    let step = iterator.next();
    while (!step.done) step = iterator.next();
    expect(step.value).toEqual(reduceResult(result, SHAPE));
  });
});

describe('capture mode', () => {
  const values = { query: 'plimsoll', password: 'hunter2' };
  test.each<[CaptureMode, string, string, boolean, string]>([
    ['none', '', '', false, 'fingerprints and sizes are all there is'],
    [
      'shape',
      '{"query":"string:8","password":"string:7"}',
      'cannot find <word> for <id>',
      false,
      'no value leaves',
    ],
    [
      'redacted',
      '{"query":"string:8","password":"string:7"}',
      'cannot find plimsoll for [redacted:email]',
      true,
      'values but no secrets',
    ],
    [
      'full',
      '{"query":"string:8","password":"string:7"}',
      'cannot find plimsoll for [redacted:email]',
      true,
      'messages are redacted always',
    ],
  ])('%s gives shape %j and message %j, because %s', (mode, shape, message, hasPayload) => {
    const args = reduceArguments(values, undefined, inMode(mode));
    const result = reduceResult(text('wellies'), inMode(mode));
    expect(args.argumentsShape).toBe(shape);
    expect(reduceMessage('cannot find plimsoll for ada@example.org', inMode(mode))).toBe(message);
    expect(args.argumentsFingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(toCallPayload(args, result) !== undefined).toBe(hasPayload);
  });

  test('full keeps what redacted takes out', () => {
    const payload = (mode: CaptureMode) =>
      toCallPayload(reduceArguments(values, undefined, inMode(mode)), reduceResult(text('x'), inMode(mode)));
    expect(payload('full')?.arguments).toContain('hunter2');
    expect(payload('redacted')?.arguments).not.toContain('hunter2');
  });

  test('does not change a fingerprint', () => {
    const prints = CAPTURE_MODES.map(
      (mode) => reduceArguments(values, undefined, inMode(mode)).argumentsFingerprint,
    );
    expect(new Set(prints).size).toBe(1);
  });

  test.each(['none', 'shape'] as const)('%s lets no strange word out, wherever it stands', (mode) => {
    fc.assert(
      fc.property(strange, (word) => {
        const reduction = inMode(mode);
        const value = { query: word, [word]: word, list: [word, { [word]: word }], note: `about ${word}` };
        const result = {
          content: [{ type: 'text', text: `see ${word}` }],
          structuredContent: value,
          [word]: word,
        };
        const all = JSON.stringify([
          reduceArguments(value, SCHEMA, reduction),
          reduceArguments(value, undefined, reduction),
          reduceResult(result, reduction),
          reduceResult({ [word]: word }, reduction),
          reduceMessage(`cannot find ${word} in "${word}" (${word}_x)`, reduction, { schema: SCHEMA }),
          reduceArgumentPath(`filter.${word}[].${word}`, SCHEMA, reduction),
        ]);
        expect(all.toLowerCase()).not.toContain(word);
      }),
    );
  });

  test('full lets it out, or the test above could not fail', () => {
    expect(JSON.stringify(reduceArguments({ query: 'plimsoll' }, SCHEMA, inMode('full')))).toContain(
      'plimsoll',
    );
  });
});

describe('the path of a refused argument', () => {
  test.each<[string, CaptureMode, string, string]>([
    ['zorp', 'shape', 'zorp', 'it is declared'],
    ['filter.tags[]', 'shape', 'filter.tags[]', 'and so are these'],
    ['filter.wellies', 'shape', 'filter.<key>', 'the caller made this key up'],
    ['noteId', 'shape', 'noteId', 'known words need no declaration'],
    ['filter.wellies', 'redacted', 'filter.wellies', 'values may be said'],
    ['zorp', 'none', '', 'only the code'],
    ['', 'shape', '', 'there is none'],
  ])('%s in %s is %j, because %s', (path, mode, expected) => {
    expect(reduceArgumentPath(path, SCHEMA, inMode(mode))).toBe(expected);
  });
});
