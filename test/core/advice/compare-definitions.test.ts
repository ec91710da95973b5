// What counts as a break between two listings, and what does not.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareDefinitions } from '../../../src/core/advice/compare-definitions.ts';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import { tool } from './evidence.ts';

const input = (properties: object, required: readonly string[] = []): ToolDefinition =>
  tool('search', { inputSchema: { type: 'object', properties, required } });
const output = (properties: object, required: readonly string[] = []): ToolDefinition =>
  tool('search', { outputSchema: { type: 'object', properties, required } });
const limit = (schema: object) => input({ limit: schema });

type Row = readonly [
  before: ToolDefinition,
  after: ToolDefinition,
  expected: readonly string[],
  because: string,
];

/** `!` marks a break, `~` a broken promise. */
const ROWS: readonly Row[] = [
  [limit({ type: 'integer' }), limit({ type: 'integer' }), [], 'nothing changed'],
  [input({ a: {} }), input({ a: {}, b: {} }), ['argument_added b'], 'an optional argument can be left out'],
  [input({ a: {} }), input({ a: {}, b: {} }, ['b']), ['!required_added b'], 'nobody sends it yet'],
  [input({ a: {} }), input({ a: {} }, ['a']), ['!became_required a'], 'who left it out is refused'],
  [input({ a: {} }, ['a']), input({ a: {} }), ['became_optional a'], 'who sends it still may'],
  [
    input({ a: { type: 'string' }, b: {} }),
    input({ b: {} }),
    ['!argument_removed a'],
    'who sends it is refused or ignored',
  ],
  [
    input({ max_results: { type: 'integer' } }),
    input({ limit: { type: 'integer' } }),
    ['!argument_removed max_results', 'argument_added limit'],
    'nothing says that they are the same',
  ],
  [
    input({ q: { type: 'string', description: 'Words to look for' } }),
    input({ query: { type: 'string', description: 'Words to look for' } }),
    ['!argument_renamed q'],
    'the description gives it away',
  ],
  [
    input({ perPage: { type: 'integer' } }),
    input({ per_page: { type: 'integer' } }),
    ['!argument_renamed perPage'],
    'it is the same two words',
  ],
  [
    input({ owner: { type: 'string' } }),
    input({ owner_id: { type: 'integer' } }),
    ['!argument_removed owner', 'argument_added owner_id'],
    'another type is another argument',
  ],
  [limit({ type: 'integer' }), limit({ type: 'string' }), ['!type_changed limit'], 'a number is refused now'],
  [limit({ type: 'number' }), limit({ type: 'integer' }), ['!type_changed limit'], '1.5 is refused now'],
  [
    limit({ type: 'integer' }),
    limit({ type: 'number' }),
    ['type_changed limit'],
    'every integer is a number',
  ],
  [
    limit({ type: 'integer' }),
    limit({ type: ['integer', 'null'] }),
    ['type_changed limit'],
    'null is taken too',
  ],
  [limit({ enum: ['a', 'b'] }), limit({ enum: ['a'] }), ['!enum_narrowed limit'], 'b is refused now'],
  [limit({ enum: ['a'] }), limit({ enum: ['a', 'b'] }), ['enum_widened limit'], 'b is taken too'],
  [
    limit({ type: 'string' }),
    limit({ type: 'string', enum: ['a'] }),
    ['!enum_narrowed limit'],
    'any text was taken',
  ],
  [
    limit({ type: 'string', enum: ['a'] }),
    limit({ type: 'string' }),
    ['enum_widened limit'],
    'any text is taken',
  ],
  [limit({ maximum: 100 }), limit({ maximum: 50 }), ['!bound_narrowed limit'], '80 is refused now'],
  [limit({ maximum: 50 }), limit({ maximum: 100 }), ['bound_widened limit'], '80 is taken too'],
  [limit({}), limit({ maximum: 100 }), ['!bound_narrowed limit'], 'there was no bound'],
  [limit({ minimum: 1 }), limit({ minimum: 0 }), ['bound_widened limit'], 'zero is taken too'],
  [
    limit({ minLength: 1 }),
    limit({ minLength: 3 }),
    ['!bound_narrowed limit'],
    'short texts are refused now',
  ],
  [limit({}), limit({ pattern: '^a' }), ['!bound_narrowed limit'], 'other texts are refused now'],
  [
    limit({ type: 'integer' }),
    limit({ type: 'integer', maximum: 9007199254740991, minimum: -9007199254740991 }),
    [],
    'a generator wrote the safe integers (chrome-devtools-mcp 0.26.0, 1.11.0)',
  ],
  [
    limit({ type: 'string', enum: ['pd', 'pw', 'YYYY-MM-DD'] }),
    limit({
      anyOf: [
        { type: 'string', enum: ['pd', 'pw'] },
        { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
      ],
    }),
    ['!enum_narrowed limit'],
    'a listed value fits no choice, and the pattern is one of them only (brave-search-mcp-server 2.0.63, 2.1.4)',
  ],
  [
    limit({ type: 'string', enum: ['pd', '2024-01-31'] }),
    limit({
      anyOf: [
        { type: 'string', enum: ['pd'] },
        { type: 'string', pattern: '^\\d{4}-' },
      ],
    }),
    ['enum_widened limit'],
    'the value that left the list fits the pattern',
  ],
  [
    limit({ anyOf: [{ type: 'string', const: 'pd' }, { type: 'string' }] }),
    limit({
      anyOf: [
        { type: 'string', enum: ['pd'] },
        { type: 'string', pattern: '^\\d{4}-' },
      ],
    }),
    ['!bound_narrowed limit'],
    'any text was taken beside the listed value (brave-search-mcp-server 2.0.63, 2.1.4)',
  ],
  [
    limit({ anyOf: [{ type: 'string', const: 'pd' }, { type: 'string' }] }),
    limit({ anyOf: [{ type: 'string', const: 'pd' }] }),
    ['!enum_narrowed limit'],
    'any text was taken beside the listed value',
  ],
  [
    limit({ type: 'string', enum: ['off', 'strict'] }),
    limit({
      anyOf: [
        { type: 'string', const: 'off' },
        { type: 'string', const: 'strict' },
      ],
    }),
    [],
    'the same values are written in another way',
  ],
  [
    limit({ type: 'string', enum: ['a'] }),
    limit({ anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }),
    ['type_changed limit'],
    'null is taken too',
  ],
  [
    limit({ type: 'object', properties: { a: {} } }),
    limit({ type: 'object', properties: { a: {} }, additionalProperties: false }),
    [],
    'callers knew of no other name',
  ],
  [
    limit({ type: 'object', properties: { uid: {} } }),
    limit({ type: 'string' }),
    ['!type_changed limit'],
    'what was inside is gone with the object (chrome-devtools-mcp 0.6.0, 0.26.0)',
  ],
  [
    limit({ type: 'string' }),
    limit({ type: 'array', minItems: 1 }),
    ['!type_changed limit'],
    'a bound of the new type narrows nothing of the old one (chrome-devtools-mcp 0.6.0, 0.26.0)',
  ],
  [
    limit({ type: 'object' }),
    limit({ type: 'object', additionalProperties: false }),
    ['!bound_narrowed limit'],
    'any name was taken',
  ],
  [
    limit({ type: 'object', properties: { a: {} }, additionalProperties: false }),
    limit({ type: 'object', properties: { a: {} } }),
    ['bound_widened limit'],
    'other names are taken now',
  ],
  [
    tool('search', { inputSchema: { type: 'object', additionalProperties: true } }),
    tool('search', { inputSchema: { type: 'object', additionalProperties: false } }),
    ['!bound_narrowed'],
    'the schema said that any name is taken',
  ],
  [
    tool('search', { inputSchema: { type: 'object' } }),
    tool('search', { inputSchema: { type: 'object', additionalProperties: false } }),
    [],
    'a tool without arguments was called without any',
  ],
  [
    limit({ default: 10 }),
    limit({ default: 20 }),
    ['~default_changed limit'],
    'callers that leave it out get something else',
  ],
  [limit({}), limit({ default: 20 }), ['default_changed limit'], 'it only states what was unknown'],
  [
    limit({ default: 10 }),
    limit({}),
    ['~default_changed limit'],
    'nothing says any more what leaving it out does',
  ],
  [
    output({ a: { default: 1 } }),
    output({ a: { default: 2 } }),
    ['default_changed a'],
    'nobody leaves out a result',
  ],
  [
    limit({ properties: { a: {} } }),
    limit({ properties: { a: {} }, required: ['a'] }),
    ['!became_required limit.a'],
    'it holds inside too',
  ],
  [
    limit({ items: { enum: ['a', 'b'] } }),
    limit({ items: { enum: ['a'] } }),
    ['!enum_narrowed limit[]'],
    'it holds for items too',
  ],

  [output({ a: {} }), output({ a: {}, b: {} }), ['argument_added b'], 'more comes back'],
  [output({ a: {}, b: {} }), output({ a: {} }), ['!argument_removed b'], 'less comes back'],
  [output({ a: {} }, ['a']), output({ a: {} }), ['!became_optional a'], 'it may be absent now'],
  [output({ a: {} }), output({ a: {} }, ['a']), ['became_required a'], 'it is promised now'],
  [
    output({ a: { type: 'integer' } }),
    output({ a: { type: 'number' } }),
    ['!type_changed a'],
    '1.5 may come back now',
  ],
  [
    output({ a: { enum: ['x', 'y'] } }),
    output({ a: { enum: ['x'] } }),
    ['enum_narrowed a'],
    'less is promised than could come',
  ],
  [
    output({ a: { maximum: 9 } }),
    output({ a: { maximum: 5 } }),
    ['bound_narrowed a'],
    'what comes still fits',
  ],
  [output({ a: {} }), tool('search'), ['!output_removed'], 'clients that read structure get none'],
  [tool('search'), output({ a: {} }), ['output_added'], 'clients may read structure now'],

  [
    tool('search'),
    tool('search', { description: 'Other words.' }),
    ['description_changed'],
    'words break nobody',
  ],
  [tool('search'), tool('search', { title: 'Search' }), ['title_changed'], 'words break nobody'],
  [
    tool('search'),
    tool('search', { annotations: { readOnlyHint: true } }),
    ['annotation_changed readOnlyHint'],
    'clients may ask less',
  ],
  ...(
    [
      [{ readOnlyHint: true }, { readOnlyHint: false }, ['~readOnlyHint'], 'clients call it without asking'],
      [{ readOnlyHint: true }, {}, ['~readOnlyHint'], 'without the hint it may write'],
      [{ idempotentHint: true }, {}, ['~idempotentHint'], 'agents repeat it'],
      [
        { idempotentHint: true },
        { readOnlyHint: true },
        ['readOnlyHint', 'idempotentHint'],
        'what reads may be repeated',
      ],
      [
        { readOnlyHint: true },
        { readOnlyHint: false, destructiveHint: true },
        ['~readOnlyHint', '~destructiveHint'],
        'it destroys now',
      ],
      [{ destructiveHint: true }, { destructiveHint: false }, ['destructiveHint'], 'it promises more'],
      [{ openWorldHint: false }, { openWorldHint: true }, ['~openWorldHint'], 'it leaves the machine now'],
    ] as const
  ).map(
    ([was, is, changed, because]): Row => [
      tool('search', { annotations: was }),
      tool('search', { annotations: is }),
      changed.map((hint) => `${hint.startsWith('~') ? '~' : ''}annotation_changed ${hint.replace('~', '')}`),
      because,
    ],
  ),
];

const describeChanges = (before: readonly ToolDefinition[], after: readonly ToolDefinition[]) =>
  compareDefinitions(before, after).map(({ breaking, breaksPromise, kind, path }) =>
    `${breaking ? '!' : ''}${breaksPromise ? '~' : ''}${kind} ${path}`.trim(),
  );

describe('change of a definition', () => {
  test.each(
    ROWS.map(([before, after, expected, because]) => ({
      before,
      after,
      expected,
      because,
      says: expected.join(', ') || 'nothing',
    })),
  )('a changed definition is reported as $says because $because', ({ before, after, expected }) => {
    expect(describeChanges([before], [after])).toEqual(expected);
  });

  test('added, removed and renamed tools are listed', () => {
    const [old, other] = [
      tool('get_order', { description: 'Reads one order with its lines.' }),
      tool('list_users', { description: 'All of the staff.' }),
    ];
    expect(describeChanges([old, other], [other])).toEqual(['!tool_removed']);
    expect(describeChanges([other], [old, other])).toEqual(['tool_added']);
    const renamed = compareDefinitions([old, other], [{ ...old, name: 'read_order' }, other]);
    expect(renamed).toMatchObject([
      { kind: 'tool_renamed', breaking: true, before: 'get_order', after: 'read_order' },
    ]);
  });

  test('a name in another style is the same tool, whatever else changed (tavily-mcp 0.1.4, 0.2.22)', () => {
    const old = tool('tavily-search', { description: 'A comprehensive search tool.' });
    const now = tool('tavily_search', { description: 'Finds pages about anything at all.' });
    expect(describeChanges([old], [now])).toEqual(['!tool_renamed', 'description_changed']);
  });

  test('a renamed tool is compared with its former definition', () => {
    const old = tool('get_order', {
      description: 'Reads one order with its lines.',
      inputSchema: { type: 'object', properties: { id: {} } },
    });
    const now = {
      ...old,
      name: 'read_order',
      inputSchema: { type: 'object', properties: { id: {} }, required: ['id'] },
    };
    expect(describeChanges([old], [now])).toEqual(['!tool_renamed', '!became_required id']);
  });

  test('the sentence of a change names its place in the schema', () => {
    expect(compareDefinitions([limit({ maximum: 100 })], [limit({ maximum: 50 })])[0]?.sentence).toBe(
      'maximum of "limit" went from 100 to 50, in the input of "search"',
    );
  });
});

const schema = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.record({ type: fc.constantFrom('string', 'integer', 'boolean') }),
    fc.record({
      type: fc.constant('string'),
      enum: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
    }),
    fc.record(
      { type: fc.constant('integer'), minimum: fc.integer(), maximum: fc.integer() },
      { requiredKeys: ['type'] },
    ),
    fc.record({ type: fc.constant('array'), items: tie('node') }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('node'), { maxKeys: 3 }),
    }),
  ),
})).node;
const properties = fc.dictionary(fc.constantFrom('one', 'two', 'three'), schema, { maxKeys: 3 });

describe('comparison of listings', () => {
  test('comparing a listing with itself finds no change', () => {
    fc.assert(
      fc.property(
        properties,
        (given) => compareDefinitions([input(given)], [input(structuredClone(given))]).length === 0,
      ),
    );
  });

  test('one more optional argument is not a breaking change', () => {
    fc.assert(
      fc.property(properties, schema, (given, added) => {
        const changes = compareDefinitions([input(given)], [input({ ...given, extra: added })]);
        return changes.length === 1 && changes.every(({ breaking }) => !breaking);
      }),
    );
  });

  test('a change between unrelated types is breaking in at least one direction', () => {
    fc.assert(
      fc.property(fc.constantFrom('string', 'boolean', 'array'), (type) =>
        [
          [limit({ type }), limit({ type: 'integer' })],
          [limit({ type: 'integer' }), limit({ type })],
        ].every(
          ([before, after]) =>
            before && after && compareDefinitions([before], [after]).some(({ breaking }) => breaking),
        ),
      ),
    );
  });
});
