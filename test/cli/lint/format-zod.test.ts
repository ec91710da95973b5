// The changed parts of a listing as zod.
import { expect, test } from 'vitest';
import { formatZod } from '../../../src/cli/lint/format-zod.ts';
import { fixTools } from '../../../src/core/advice/fix-tools.ts';
import { lintTools } from '../../../src/core/advice/lint-tools.ts';

const zodOf = (properties: object, required: readonly string[] = []) => {
  const tools = [
    {
      name: 'list_notes',
      description: 'Use it when in doubt. Returns notes.',
      inputSchema: { type: 'object', properties, required },
      annotations: { readOnlyHint: true },
    },
  ];
  return formatZod(fixTools(tools, lintTools(tools, { pedantic: true })));
};

const ROWS: readonly (readonly [
  properties: object,
  required: readonly string[],
  expected: string,
  because: string,
])[] = [
  [
    { limit: { type: 'integer', description: 'Rows, at most 100' } },
    [],
    'limit: z.number().int().max(100).describe("Rows, at most 100").optional(),',
    'the bound was stated',
  ],
  [
    { limit: { type: 'integer', description: 'Rows, at most 100' } },
    ['limit'],
    'limit: z.number().int().max(100).describe("Rows, at most 100"),',
    'it is required',
  ],
  [
    { order: { type: 'string', description: "One of 'asc', 'desc'. Defaults to 'asc'." } },
    [],
    'order: z.enum(["asc","desc"]).default("asc").describe("One of \'asc\', \'desc\'. Defaults to \'asc\'."),',
    'values and default were stated',
  ],
  [
    { 'start-date': { type: 'string' } },
    [],
    '// TODO(toolscope): `format`: date or date-time\n  "start-date": z.string().optional(),',
    'a placeholder is a comment before it',
  ],
];

test.each(
  ROWS.map(([properties, required, expected, because]) => ({ properties, required, expected, because })),
)(
  '$properties with required $required becomes $expected because $because',
  ({ properties, required, expected }) => {
    expect(zodOf(properties, required)).toContain(expected);
  },
);

test('arguments that did not change are left out, and an unchanged listing gives no snippet', () => {
  const text = zodOf({
    limit: { type: 'integer', description: 'Default: 20' },
    tag: { type: 'string', description: 'The tag' },
  });
  expect(text).toContain('// list_notes\ninputSchema: {\n  limit:');
  expect(text).not.toContain('tag');
  expect(formatZod(fixTools([{ name: 'list_notes' }], []))).toBe('');
});
