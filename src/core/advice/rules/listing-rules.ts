// Rules about a listing: schemas that clients reject (TD026), tools without annotations (TD027), many tools (TD031).

import type { ToolDefinition } from '../../model/catalogue.ts';
import { isRecord } from '../../values/is-record.ts';
import { definitionTokens } from '../definition-tokens.ts';
import type { Observation } from '../finding.ts';
import { formatList, formatNounCount } from '../format-counts.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

export const schemaNotObject: StaticRule = {
  id: 'TD026',
  level: 'error',
  title: 'Schema is not an object',
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
      counts: {},
      names: { schema: ['input'], type: [typeOf(inputSchema)] },
      suggestion: 'Make it an object; without arguments it is `{"type": "object"}`.',
      edits: [{ tool: name, pointer: '/inputSchema/type', after: 'object' }],
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
      counts: {},
      names: { schema: ['output'], type: [typeOf(outputSchema)] },
      suggestion: 'Put the value under a key of an object, e.g. `items`.',
      edits: [
        {
          tool: name,
          pointer: '/outputSchema',
          before: outputSchema,
          after: { type: 'object', properties: { items: outputSchema }, required: ['items'] },
        },
      ],
    },
  ];
}

const NOTE_ABOVE = 15;
const WARNING_ABOVE = 20;

export const toolCount: StaticRule = {
  id: 'TD031',
  level: 'warning',
  title: 'Many tools',
  condition: `More than ${WARNING_ABOVE} tools in one listing; a note from ${NOTE_ABOVE + 1} on.`,
  disprovedBy: 'Clients list only a part of them, or agents find the right one as often as with fewer.',
  check: (tools) => (tools.length > NOTE_ABOVE ? [toCountObservation(tools)] : []),
};

function toCountObservation(tools: readonly ToolDefinition[]) {
  const tokens = tools.reduce((sum, tool) => sum + definitionTokens(tool), 0);
  const mostExpensive = [...tools]
    .sort((one, other) => definitionTokens(other) - definitionTokens(one))
    .slice(0, 5);
  return {
    tool: '',
    level: tools.length > WARNING_ABOVE ? ('warning' as const) : ('note' as const),
    finding:
      tools.length > WARNING_ABOVE
        ? `${tools.length} tools are listed, about ${tokens} tokens in every listing; beyond ${WARNING_ABOVE}, agents are known to choose worse.`
        : `${tools.length} tools are listed, about ${tokens} tokens in every listing; that is near the ${WARNING_ABOVE} beyond which agents are known to choose worse.`,
    counts: { tools: tools.length, definitionTokens: tokens },
    names: { mostExpensive: mostExpensive.map(({ name }) => name) },
    suggestion:
      'Remove tools that are never called, merge tools that are always called together, or split the server by task.',
  };
}

export const missingAnnotations: StaticRule = {
  id: 'TD027',
  level: 'note',
  title: 'No annotations',
  condition: 'Tools have neither `readOnlyHint` nor `destructiveHint`.',
  disprovedBy: 'The tools change things and may destroy something, as the defaults say.',
  check: (tools) => {
    const bare = tools.filter(
      ({ annotations }) =>
        annotations?.readOnlyHint === undefined && annotations?.destructiveHint === undefined,
    );
    return bare.length === 0 ? [] : [toAnnotationObservation(bare, tools.length)];
  },
};

function toAnnotationObservation(bare: readonly ToolDefinition[], all: number) {
  const names = bare.map(({ name }) => name);
  const [first = ''] = names;
  return {
    tool: bare.length === 1 ? first : '',
    finding: `${bare.length} of ${formatNounCount(all, 'tool')} (${formatList(names)}) have no hint whether they only read: clients must assume the worst.`,
    counts: { tools: bare.length, toolsListed: all },
    names: { tools: names },
    suggestion:
      'Set `readOnlyHint: true` on tools that only read, and `destructiveHint: false` on tools that only add.',
    edits: bare.flatMap(({ name }) => {
      const kind = actionOf(name)?.kind ?? 'act';
      // What an acting verb (`run`, `start`) leaves behind is the author's to say.
      return kind === 'act'
        ? []
        : [{ tool: name, pointer: '/annotations/readOnlyHint', after: kind === 'read' }];
    }),
  };
}
