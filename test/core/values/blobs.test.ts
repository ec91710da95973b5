import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { removeBlobs } from '../../../src/core/values/blobs.ts';
import { toPayloadText } from '../../../src/core/values/payload-text.ts';

const content = randomBytes(3000).toString('base64');

describe('binary content', () => {
  test.each<[unknown, unknown, string]>([
    [
      { content: [{ type: 'image', mimeType: 'image/png', data: content }] },
      { content: [{ type: 'image', mimeType: 'image/png', data: '[image/png 4000 base64 characters]' }] },
      'an image is its type and size',
    ],
    [
      { type: 'audio', data: 'AAAA', mimeType: 'password=hunter2' },
      { type: 'audio', data: '[audio 4 base64 characters]', mimeType: 'password=[redacted:password]' },
      'what is no media type is not said as one',
    ],
    [
      { resource: { uri: 'x:y', blob: content } },
      { resource: { uri: 'x:y', blob: '[blob 4000 base64 characters]' } },
      'a resource too',
    ],
    [`see ${content}.`, 'see [content 4000 base64 characters].', 'base64 in a text'],
    [
      `<img src="data:image/png;base64,${content}">`,
      '<img src="data:image/png;base64,[content 4000 base64 characters]">',
      'a data URL',
    ],
    ['-'.repeat(400), '-'.repeat(400), 'a ruler is none'],
    ['a1'.repeat(400), 'a1'.repeat(400), 'hex digits are none'],
  ])('the value of case %# is replaced by its size, because %s', (value, expected) => {
    expect(JSON.parse(toPayloadText(value, 'redacted').text)).toEqual(expected);
  });

  test('binary content is replaced in mode full too', () => {
    expect(toPayloadText({ type: 'image', data: content }, 'full').text).not.toContain(content.slice(0, 50));
  });

  test('binary content longer than the inspected part is replaced with its whole size', () => {
    const long = randomBytes(750_000).toString('base64');
    const { text, truncated } = toPayloadText({ file: long }, 'redacted');
    expect(text).toBe('{"file":"[content 1000000 base64 characters]"}');
    expect(truncated).toBe(false);
  });

  test('finding binary content takes time proportional to its length', () => {
    expect(removeBlobs('A'.repeat(1 << 20)).text).toHaveLength(1 << 20);
  });
});
