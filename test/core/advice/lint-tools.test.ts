// What holds for any listing, however odd.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findingKey } from '../../../src/core/advice/advise.ts';
import { definitionTokens } from '../../../src/core/advice/definition-tokens.ts';
import { FINDING_LEVELS } from '../../../src/core/advice/finding.ts';
import { lintTools } from '../../../src/core/advice/lint-tools.ts';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import { tool } from './evidence.ts';

const name = fc.oneof(
  fc.constantFrom('get_order', 'delete_order', 'getUser', 'process_data', 'send_msg', 'x'),
  fc.string({ minLength: 1, maxLength: 20 }),
);
const definition: fc.Arbitrary<ToolDefinition> = fc.record(
  {
    name,
    description: fc.oneof(fc.string(), fc.lorem({ maxCount: 20 })),
    inputSchema: fc.oneof(
      fc.jsonValue(),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { maxKeys: 4 }),
      }),
    ),
    outputSchema: fc.jsonValue(),
    annotations: fc.record(
      { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['name'] },
);
const listing = fc.uniqueArray(definition, { selector: (one) => one.name, maxLength: 12 });

describe('lint', () => {
  test('lint reads any listing without throwing and sorts findings by severity', () => {
    fc.assert(
      fc.property(listing, (tools) => {
        const levels = lintTools(tools, { pedantic: true }).map(({ level }) => FINDING_LEVELS.indexOf(level));
        return levels.every((level, at) => at === 0 || level <= (levels[at - 1] ?? level));
      }),
    );
  });

  test('findings of a tool do not depend on its position in the listing', () => {
    const aboutOne = (tools: readonly ToolDefinition[]) =>
      lintTools(tools, { pedantic: true })
        .filter(({ rule }) => !['TD006', 'TD020', 'TD047', 'TD048'].includes(rule))
        .map(findingKey)
        .sort();
    fc.assert(
      fc.property(listing, (tools) => {
        expect(aboutOne([...tools].reverse())).toEqual(aboutOne(tools));
      }),
    );
  });

  test('each finding has a unique key', () => {
    fc.assert(
      fc.property(listing, (tools) => {
        const keys = lintTools(tools, { pedantic: true }).map(findingKey);
        return new Set(keys).size === keys.length;
      }),
    );
  });

  test('pedantic rules speak on request only', () => {
    const tools = [tool('list_old', { description: 'Deprecated. Lists notes.' })];
    expect(lintTools(tools).filter(({ rule }) => rule === 'TD042')).toEqual([]);
    expect(lintTools(tools, { pedantic: true }).filter(({ rule }) => rule === 'TD042')).toHaveLength(1);
  });

  test('lint of an empty listing finds nothing', () => {
    expect(lintTools([])).toEqual([]);
  });
});

describe('cost of a definition', () => {
  test('the cost of a definition is a quarter of its JSON characters, rounded up', () => {
    const one = tool('get_order', { description: 'Grüße 🎉' });
    expect(definitionTokens(one)).toBe(Math.ceil([...JSON.stringify(one)].length / 4));
    expect([definitionTokens({ name: 'a' }), definitionTokens({ name: 'ab' })]).toEqual([3, 4]);
  });
});
