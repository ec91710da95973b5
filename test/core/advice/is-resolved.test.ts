// When a definition answers a finding by itself, and when only calls can tell.

import { describe, expect, test } from 'vitest';
import type { DefinitionEdit } from '../../../src/core/advice/finding.ts';
import { isResolved } from '../../../src/core/advice/is-resolved.ts';
import { withArgument } from './evidence.ts';

const LIMIT = '/inputSchema/properties/limit';
const now = withArgument('search', 'limit', { type: 'integer', maximum: 100, examples: [20] });
const edit = (pointer: string, over: Partial<DefinitionEdit> = {}): DefinitionEdit => ({
  tool: 'search',
  pointer,
  ...over,
});

describe('finding resolved by the definition', () => {
  const table: readonly (readonly [
    isIt: boolean,
    argument: string,
    edits: readonly DefinitionEdit[],
    because: string,
  ])[] = [
    [true, 'limit', [edit(`${LIMIT}/maximum`, { after: '<n>' })], 'the bound stands there now'],
    [false, 'limit', [edit(`${LIMIT}/minimum`, { after: '<n>' })], 'another bound stands there'],
    [true, 'limit', [edit(`${LIMIT}/minimum`), edit(`${LIMIT}/maximum`)], 'one of two ways was taken'],
    [true, 'page', [], 'the argument is gone'],
    [
      true,
      '',
      [edit('/inputSchema/properties/page', { before: { type: 'integer' } })],
      'what was too much is gone',
    ],
    [false, '', [edit(LIMIT, { before: { type: 'integer' } })], 'what was too much is still there'],
    [false, '', [edit('/outputSchema', { after: {} })], 'nothing stands there'],
    [false, '', [edit('/description', { before: 'Old.', after: 'New.' })], 'words prove nothing'],
    [false, 'limit', [edit(`${LIMIT}/examples`, { after: [] })], 'an example proves nothing'],
    [false, '', [{ ...edit(`${LIMIT}/maximum`), tool: 'find' }], 'it is an edit of another tool'],
    [false, '', [edit('/annotations/readOnlyHint', { before: true, after: false })], 'the hint was not set'],
    [false, '', [], 'nothing was asked of the definition'],
  ];
  test.each(table)(
    'whether a finding is resolved is %s, for argument "%s" and %j, because %s',
    (isIt, argument, edits) => {
      expect(isResolved({ tool: 'search', argument, suggestion: { text: '', edits } }, now)).toBe(isIt);
    },
  );

  test('a finding is resolved when the hint was inverted as suggested', () => {
    const hinted = { ...now, annotations: { readOnlyHint: false } };
    const suggestion = {
      text: '',
      edits: [edit('/annotations/readOnlyHint', { before: true, after: false })],
    };
    expect(isResolved({ tool: 'search', argument: '', suggestion }, hinted)).toBe(true);
  });
});
