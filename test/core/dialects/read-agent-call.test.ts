// Tool calls of the agent's side, read from the spans that frameworks sent.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { normaliseSpan } from '../../../src/core/dialects/normalise-span.ts';
import { readAgentCall } from '../../../src/core/dialects/read-agent-call.ts';
import { toConventions } from '../../../src/core/dialects/to-conventions.ts';
import type { OtlpSpan } from '../../../src/core/otlp/span.ts';
import { redactionOf, SHAPE_REDACTION } from './redaction.ts';

function readRecorded(name: string): OtlpSpan[] {
  const file = new URL(`../../fixtures/emitter-spans/${name}.ndjson`, import.meta.url);
  // Recorded: one request a line, with its decoded spans.
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.flatMap((line) => (JSON.parse(line) as { spans: OtlpSpan[] }).spans);
}

const read = (span: OtlpSpan, capture: 'none' | 'shape' | 'redacted' = 'shape') =>
  readAgentCall(toConventions(span), redactionOf(capture));

type Row = readonly [tool: string, failed: boolean];

describe('tool calls of agents', () => {
  test.each<[string, string, readonly Row[], string]>([
    [
      'ai-sdk-5',
      'ai_sdk',
      [
        ['ok', false],
        ['throws', true],
        ['iserr', true],
      ],
      'a tool that throws, and a result with isError',
    ],
    [
      'ai-sdk-7',
      'gen_ai',
      [
        ['ok', false],
        ['throws', true],
        ['iserr', true],
        ['ok', true],
      ],
      'status 0 in spite of isError in the result',
    ],
    [
      'openinference-langchain',
      'openinference',
      [
        ['ok', false],
        ['throws', true],
        ['iserr', true],
      ],
      'each tool call is a root span',
    ],
    [
      'traceloop-0.27-client',
      'traceloop',
      [
        ['ok', false],
        ['throws', true],
        ['iserr', true],
        ['ok', true],
        ['nope', true],
      ],
      'initialize, tools/list and the session are no tool calls',
    ],
    [
      'langfuse-otel',
      'langfuse',
      [
        ['search', false],
        ['search', true],
        ['search', true],
        ['search', false],
      ],
      'two requests with the same two calls',
    ],
  ])('%s: the calls of %s are read, %j, because of %s', (file, emitter, expected) => {
    const calls = readRecorded(file).flatMap((span) => read(span) ?? []);
    expect(calls.map(({ tool, failed }) => [tool, failed])).toEqual(expected);
    for (const call of calls) {
      expect(call).toMatchObject({ emitter, agent: expect.stringMatching(/^em-/) });
      expect(call.errorMessage !== '', JSON.stringify(call)).toBe(call.failed);
      expect(call.durationUs).toBeGreaterThan(0);
    }
  });

  test('no recorded span of an agent is a call of a server', () => {
    const files = [
      'ai-sdk-5',
      'ai-sdk-7',
      'openinference-langchain',
      'traceloop-0.27-client',
      'langfuse-otel',
    ];
    for (const span of files.flatMap(readRecorded))
      expect(normaliseSpan(toConventions(span), SHAPE_REDACTION)).toMatchObject({ kind: 'ignored' });
  });

  test('the name that the agent gives its conversation is kept', () => {
    const sessionsOf = (file: string) => readRecorded(file).flatMap((span) => read(span)?.sessionId ?? []);
    expect(new Set(sessionsOf('ai-sdk-5'))).toEqual(new Set(['sess-1']));
    expect(new Set(sessionsOf('langfuse-otel'))).toEqual(new Set(['sess-9']));
  });

  const BASE: OtlpSpan = {
    ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentSpanId: '', name: '', kind: 'client' },
    ...{ startUs: 1_000, endUs: 3_500, attributes: {}, events: [], links: [] },
    ...{ status: { code: 0, message: '' }, scope: { name: '', version: '' }, resource: {} },
  };

  test.each<[Partial<OtlpSpan>, string | undefined, string]>([
    [
      { name: 'tools/call add', attributes: { 'mcp.method.name': 'tools/call' } },
      'add',
      'the name of the span has the tool',
    ],
    [
      { attributes: { 'mcp.method': 'tools/call', 'mcp.tool.name': 'add' } },
      'add',
      'OpenLIT has its own names',
    ],
    [{ attributes: { 'mcp.method.name': 'tools/list' } }, undefined, 'listing tools is no tool call'],
    [
      { kind: 'server', attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'add' } },
      undefined,
      'a server reports it',
    ],
    [{ kind: 'internal', name: 'MCP request: tools/call add' }, 'add', 'Logfire'],
    [{ kind: 'internal', name: 'MCP request: tools/list' }, undefined, 'Logfire, no tool call'],
    [{ attributes: { 'gen_ai.operation.name': 'chat' } }, undefined, 'a call of a model'],
  ])('%j is a call of tool %s: %s', (facts, tool) => {
    expect(read({ ...BASE, ...facts })?.tool).toBe(tool);
  });

  test.each<['none' | 'shape' | 'redacted', string, string]>([
    ['none', '', 'no text leaves the span'],
    ['shape', 'no user <id>', 'values are masked'],
    ['redacted', 'no user [redacted:email]', 'only secrets are removed'],
  ])('in mode %s the error message is "%s": %s', (capture, expected) => {
    const failed: OtlpSpan = {
      ...BASE,
      ...{ attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'add' } },
      status: { code: 2, message: 'no user jane@example.com' },
    };
    expect(read(failed, capture)).toMatchObject({ failed: true, errorMessage: expected, durationUs: 2_500 });
  });

  test('an unreadable or long result does not fail a call', () => {
    for (const result of [
      '{"isError":tr',
      `{"isError":true,"content":"${'x'.repeat(70_000)}"}`,
      '[]',
      'null',
    ]) {
      const attributes = {
        ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'add' },
        'gen_ai.tool.call.result': result,
      };
      expect(read({ ...BASE, attributes })).toMatchObject({ failed: false, errorMessage: '' });
    }
  });
});
