import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CAPTURE_MODES, type CaptureMode } from '../../../src/core/model/tool-call.ts';
import { createFingerprinter, hammingDistance } from '../../../src/core/values/fingerprint.ts';
import { toCallPayload } from '../../../src/core/values/payload-text.ts';
import { redactArgumentPath, redactArguments } from '../../../src/core/values/redact-arguments.ts';
import { redactMessage } from '../../../src/core/values/redact-message.ts';
import { redactResult, redactResultInSteps } from '../../../src/core/values/redact-result.ts';
import type { RedactionOptions } from '../../../src/core/values/redaction-options.ts';

const fingerprinter = createFingerprinter(new Uint8Array(32).fill(3));
const redactionIn = (capture: CaptureMode): RedactionOptions => ({ capture, fingerprinter });
const SHAPE = redactionIn('shape');
const text = (...parts: string[]) => ({ content: parts.map((part) => ({ type: 'text', text: part })) });
const SCHEMA = { properties: { zorp: { type: 'string' }, filter: { properties: { tags: { items: {} } } } } };

/** A word outside every vocabulary, as an agent or a tool might use it anywhere. */
const arbitraryUnknownWord = fc.string({
  unit: fc.constantFrom(...'bcdfghjklmnpqrvwxz'),
  minLength: 5,
  maxLength: 12,
});

describe('redacted arguments', () => {
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
  ])(
    'whether the arguments %j and %j are equal is %s exactly and %s masked, because %s',
    (a, b, exact, masked) => {
      const [left, right] = [redactArguments(a, SCHEMA, SHAPE), redactArguments(b, SCHEMA, SHAPE)];
      expect(left.argumentsFingerprint === right.argumentsFingerprint).toBe(exact);
      expect(left.argumentsMaskedFingerprint === right.argumentsMaskedFingerprint).toBe(masked);
    },
  );

  test('each top-level argument is fingerprinted by its value', () => {
    const one = redactArguments({ zorp: 'x', limit: 1 }, SCHEMA, SHAPE).argumentFingerprints;
    const two = redactArguments({ limit: 2, zorp: 'x' }, SCHEMA, SHAPE).argumentFingerprints;
    expect(Object.keys(one)).toEqual(['zorp', 'limit']);
    expect(two['zorp']).toBe(one['zorp']);
    expect(two['limit']).not.toBe(one['limit']);
  });

  test('undeclared names are distinguishable without being readable', () => {
    const names = Object.keys(
      redactArguments({ wellies: 1, plimsoll: 1 }, SCHEMA, SHAPE).argumentFingerprints,
    );
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/^<key>:[0-9a-f]{6}$/);
  });

  test('redacted arguments have a size and a key id', () => {
    expect(redactArguments({ q: 'ä' }, SCHEMA, SHAPE)).toMatchObject({
      argumentsBytes: 10,
      fingerprintKeyId: fingerprinter.keyId,
    });
    expect(redactArguments(undefined, SCHEMA, SHAPE).argumentsBytes).toBe(0);
  });
});

describe('redacted result', () => {
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
  ])(
    'whether the results %j and %j are equal is %s exactly and %s masked, because %s',
    (a, b, exact, masked) => {
      const [left, right] = [redactResult(a, SHAPE), redactResult(b, SHAPE)];
      expect(left.resultFingerprint === right.resultFingerprint).toBe(exact);
      expect(left.resultMaskedFingerprint === right.resultMaskedFingerprint).toBe(masked);
    },
  );

  test('a redacted result has lines, bytes and a shape', () => {
    const result = { ...text('one\ntwo', 'three'), structuredContent: { zorp: 'x', count: 2 } };
    expect(redactResult(result, SHAPE, { schema: SCHEMA })).toMatchObject({
      resultLines: 4,
      resultBytes: Buffer.byteLength(JSON.stringify(result)),
      resultShape:
        '{"content":[2,{"type":"=text","text":"string:7"},{"type":"=text","text":"string:5"}],"structuredContent":{"zorp":"string:1","count":"int"}}',
    });
  });

  test('an empty result has empty fields', () => {
    expect(redactResult(undefined, redactionIn('full'))).toEqual({
      resultFingerprint: '',
      resultMaskedFingerprint: '',
      resultSimilarity: '',
      resultTrait: '',
      resultShape: '',
      resultLines: 0,
      resultBytes: 0,
    });
  });

  test('a result is similar to one with a little noise and dissimilar to another', () => {
    const page = (noise: number) =>
      text(Array.from({ length: 120 }, (_, n) => `item ${n === 7 ? noise : n * 7} in list`).join('\n'));
    const similarity = (result: unknown) => redactResult(result, SHAPE).resultSimilarity;
    expect(hammingDistance(similarity(page(1)), similarity(page(2)))).toBeLessThanOrEqual(16);
    const other = text(Array.from({ length: 120 }, (_, n) => `wholly other words ${n * n}`).join('\n'));
    expect(hammingDistance(similarity(page(1)), similarity(other))).toBeGreaterThanOrEqual(20);
  });

  test('a result redacted in steps equals one redacted at once, and a megabyte takes several steps', () => {
    const result = text('word '.repeat(200_000));
    const steps = [...redactResultInSteps(result, SHAPE)];
    expect(steps.length).toBeGreaterThanOrEqual(5);
    const iterator = redactResultInSteps(result, SHAPE);
    let step = iterator.next();
    while (!step.done) step = iterator.next();
    expect(step.value).toEqual(redactResult(result, SHAPE));
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
  ])('mode %s gives the shape %j and the message %j, because %s', (mode, shape, message, hasPayload) => {
    const args = redactArguments(values, undefined, redactionIn(mode));
    const result = redactResult(text('wellies'), redactionIn(mode));
    expect(args.argumentsShape).toBe(shape);
    expect(redactMessage('cannot find plimsoll for ada@example.org', redactionIn(mode))).toBe(message);
    expect(args.argumentsFingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(toCallPayload(args, result) !== undefined).toBe(hasPayload);
  });

  test('mode full stores what mode redacted replaces', () => {
    const payload = (mode: CaptureMode) =>
      toCallPayload(
        redactArguments(values, undefined, redactionIn(mode)),
        redactResult(text('x'), redactionIn(mode)),
      );
    expect(payload('full')?.arguments).toContain('hunter2');
    expect(payload('redacted')?.arguments).not.toContain('hunter2');
  });

  test('fingerprints do not depend on the capture mode', () => {
    const prints = CAPTURE_MODES.map(
      (mode) => redactArguments(values, undefined, redactionIn(mode)).argumentsFingerprint,
    );
    expect(new Set(prints).size).toBe(1);
  });

  test.each(['none', 'shape'] as const)('mode %s stores no private word, wherever it occurs', (mode) => {
    fc.assert(
      fc.property(arbitraryUnknownWord, (word) => {
        const reduction = redactionIn(mode);
        const value = { query: word, [word]: word, list: [word, { [word]: word }], note: `about ${word}` };
        const result = {
          content: [{ type: 'text', text: `see ${word}` }],
          structuredContent: value,
          [word]: word,
        };
        const all = JSON.stringify([
          redactArguments(value, SCHEMA, reduction),
          redactArguments(value, undefined, reduction),
          redactResult(result, reduction),
          redactResult({ [word]: word }, reduction),
          redactMessage(`cannot find ${word} in "${word}" (${word}_x)`, reduction, { schema: SCHEMA }),
          redactArgumentPath(`filter.${word}[].${word}`, SCHEMA, reduction),
        ]);
        expect(all.toLowerCase()).not.toContain(word);
      }),
    );
  });

  test('mode full stores the private word, so the test above can fail', () => {
    expect(JSON.stringify(redactArguments({ query: 'plimsoll' }, SCHEMA, redactionIn('full')))).toContain(
      'plimsoll',
    );
  });
});

describe('path of a refused argument', () => {
  test.each<[string, CaptureMode, string, string]>([
    ['zorp', 'shape', 'zorp', 'it is declared'],
    ['filter.tags[]', 'shape', 'filter.tags[]', 'and so are these'],
    ['filter.wellies', 'shape', 'filter.<key>', 'the caller made this key up'],
    ['noteId', 'shape', 'noteId', 'known words need no declaration'],
    ['filter.wellies', 'redacted', 'filter.wellies', 'values may be said'],
    ['zorp', 'none', '', 'only the code'],
    ['', 'shape', '', 'there is none'],
  ])('the path %s in mode %s is %j, because %s', (path, mode, expected) => {
    expect(redactArgumentPath(path, SCHEMA, redactionIn(mode))).toBe(expected);
  });
});
