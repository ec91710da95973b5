// What `lint --fix` does to a listing: what a description states is declared, what only the author knows is marked.
import { describe, expect, test } from 'vitest';
import { fixTools } from '../../../src/core/advice/fix-tools.ts';
import { lintTools } from '../../../src/core/advice/lint-tools.ts';
import { tool, withArgument } from './evidence.ts';

const fix = (...tools: readonly ReturnType<typeof tool>[]) =>
  fixTools(tools, lintTools(tools, { pedantic: true }));
const fixArgument = (schema: object) => {
  const { tools, ...rest } = fix(
    withArgument('list_notes', 'limit', schema, { annotations: { readOnlyHint: true } }),
  );
  expect(tools).toHaveLength(1);
  return {
    schema: (tools as { inputSchema: { properties: { limit: object } } }[])[0]?.inputSchema.properties.limit,
    ...rest,
  };
};

describe('fixed listing', () => {
  test.each([
    {
      schema: { type: 'integer', description: 'Rows (default: 20)' },
      added: { default: 20 },
      because: 'the description states the default',
    },
    {
      schema: { type: 'integer', description: 'Rows, at most 100' },
      added: { maximum: 100 },
      because: 'the description states the bound',
    },
    {
      schema: { type: 'string', description: 'Must be one of "asc", "desc"' },
      added: { enum: ['asc', 'desc'] },
      because: 'the description lists the values',
    },
    {
      schema: { type: 'string', description: 'Order (asc or desc)' },
      added: { enum: ['asc', 'desc'] },
      because: 'the brackets are a choice',
    },
  ])('the argument $schema gets $added because $because', ({ schema, added }) => {
    const fixed = fixArgument(schema);
    expect(fixed.schema).toEqual({ ...schema, ...added });
    expect([fixed.stated, fixed.placeholders]).toEqual([1, 0]);
  });

  test('a missing format becomes a comment, since only the author knows it', () => {
    const { tools } = fix(withArgument('list_notes', 'start_date', { type: 'string' }));
    expect(tools).toMatchObject([
      {
        inputSchema: {
          properties: {
            start_date: { type: 'string', $comment: 'TODO(toolscope): `format`: date or date-time' },
          },
        },
      },
    ]);
  });

  test('a description keeps its words and gets a marked gap', () => {
    const { tools } = fix(tool('list_old', { description: 'Deprecated. Lists notes.' }));
    expect(tools).toMatchObject([
      { description: 'Deprecated. Lists notes. TODO(toolscope): Use tool instead.' },
    ]);
  });

  test('no name, no hint and no argument is changed; the finding is noted in the tool', () => {
    const risky = tool('send_email', {
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object' },
    });
    const { tools } = fix(risky);
    const [fixed] = tools as { name: string; annotations: object; inputSchema: object; _meta: object }[];
    expect(fixed).toMatchObject({
      name: risky.name,
      annotations: risky.annotations,
      inputSchema: risky.inputSchema,
    });
    expect(fixed?._meta).toEqual({
      'toolscope/todo': expect.arrayContaining([
        expect.stringMatching(/^TODO\(toolscope\): TD028: .*readOnlyHint/),
      ]),
    });
  });

  test('a finding about the whole server is noted beside the tools', () => {
    const { todo } = fix(...Array.from({ length: 21 }, (_, at) => tool(`get_thing_${at}`)));
    expect(todo).toEqual(
      expect.arrayContaining([expect.stringMatching(/^TODO\(toolscope\): TD031: 21 tools/)]),
    );
  });

  test('fields that no rule reads stay, and the given listing is not changed', () => {
    const listed = [
      { ...withArgument('list_notes', 'limit', { type: 'integer', description: 'Default: 20' }), icons: [1] },
    ];
    const copy = structuredClone(listed);
    expect(fixTools(listed, lintTools(listed)).tools).toMatchObject([{ icons: [1] }]);
    expect(listed).toEqual(copy);
  });

  test('a fixed listing has no finding about what was stated, and fixing it again changes no schema', () => {
    const first = fixArgument({ type: 'integer', description: 'Rows (default: 20), at most 100' });
    const second = fixArgument(first.schema ?? {});
    expect([first.stated, second.stated]).toEqual([2, 0]);
    expect(second.schema).toEqual(first.schema);
  });
});
