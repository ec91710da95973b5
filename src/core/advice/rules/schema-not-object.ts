// TD026: a schema that clients refuse. MCP wants `type: "object"` at the top of an input schema in every revision, and of an
// output schema before 2026-07-28; SDK v1 then throws on the whole listing, so every other tool is gone too.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { isRecord } from '../../values/is-record.ts';
import type { Observation } from '../finding.ts';
import type { StaticRule } from '../rule.ts';

export const schemaNotObject: StaticRule = {
  id: 'TD026',
  level: 'error',
  title: 'Schema is not of an object',
  condition:
    'The input schema is missing or not `type: "object"`; the same of an output schema is a warning, because clients of 2026-07-28 take it.',
  disprovedBy: 'A client of SDK v1 lists the tools without an error.',
  check: (tools) => tools.flatMap((tool) => [...checkInput(tool), ...checkOutput(tool)]),
};

const isObjectSchema = (schema: unknown): boolean => isRecord(schema) && schema['type'] === 'object';

function typeOf(schema: unknown): string {
  if (schema === undefined) return 'none';
  return isRecord(schema) ? (JSON.stringify(schema['type']) ?? 'no type') : typeof schema;
}

function checkInput({ name, inputSchema }: ToolDefinition): Observation[] {
  if (isObjectSchema(inputSchema)) return [];
  return [
    {
      tool: name,
      finding: `The input schema of "${name}" is not an object (${typeOf(inputSchema)}): clients refuse the tool, and those of SDK v1 the whole listing.`,
      evidence: { counts: {}, names: { schema: ['input'], type: [typeOf(inputSchema)] } },
      suggestion: {
        text: 'Make it an object; without arguments it is `{"type": "object"}`.',
        edits: [{ tool: name, pointer: '/inputSchema/type', after: 'object' }],
      },
    },
  ];
}

function checkOutput({ name, outputSchema }: ToolDefinition): Observation[] {
  if (outputSchema === undefined || isObjectSchema(outputSchema)) return [];
  return [
    {
      tool: name,
      level: 'warning',
      finding: `The output schema of "${name}" is not an object (${typeOf(outputSchema)}): clients older than 2026-07-28 refuse it.`,
      evidence: { counts: {}, names: { schema: ['output'], type: [typeOf(outputSchema)] } },
      suggestion: {
        text: 'Put the value under a key of an object, e.g. `items`.',
        edits: [
          {
            tool: name,
            pointer: '/outputSchema',
            before: outputSchema,
            after: { type: 'object', properties: { items: outputSchema }, required: ['items'] },
          },
        ],
      },
    },
  ];
}
