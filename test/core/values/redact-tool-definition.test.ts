import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import { redactToolDefinition } from '../../../src/core/values/redact-tool-definition.ts';

const KEY = ['gh', 'p_', 'a1B2'.repeat(9)].join('');

describe('redacted tool definition', () => {
  test.each<[Partial<ToolDefinition>, Partial<ToolDefinition>, string]>([
    [
      { description: `Call it with ${KEY}.` },
      { description: 'Call it with [redacted:github_token].' },
      'a key has no place in a description',
    ],
    [
      { description: 'Ask help@example.org about the api key.' },
      { description: 'Ask help@example.org about the api key.' },
      'a contact is meant to be read',
    ],
    [
      { inputSchema: { properties: { apiKey: { type: 'string', default: 'plain' } } } },
      { inputSchema: { properties: { apiKey: { type: 'string', default: '[redacted:key]' } } } },
      'the name of the property tells',
    ],
    [
      { inputSchema: { properties: { password: { type: 'string', minLength: 8 } } } },
      { inputSchema: { properties: { password: { type: 'string', minLength: 8 } } } },
      'a schema is no value',
    ],
    [
      { inputSchema: { properties: { mode: { enum: ['fast', KEY], default: 'fast' } } } },
      {
        inputSchema: { properties: { mode: { enum: ['fast', '[redacted:github_token]'], default: 'fast' } } },
      },
      'an enum may hold one by mistake',
    ],
    [
      { inputSchema: { properties: { auth: { properties: { token: { examples: ['plain'] } } } } } },
      {
        inputSchema: { properties: { auth: { properties: { token: { examples: ['[redacted:token]'] } } } } },
      },
      'schemas nest',
    ],
  ])('the definition %j becomes %j, because %s', (given, expected) => {
    expect(redactToolDefinition({ name: 'x', ...given })).toEqual({ name: 'x', ...expected });
  });

  test('a redacted definition has the same tool name as its calls', () => {
    expect(redactToolDefinition({ name: `use_${KEY}` }).name).toBe('use_[redacted:github_token]');
    expect(redactToolDefinition({ name: 'search_notes' }).name).toBe('search_notes');
  });
});
