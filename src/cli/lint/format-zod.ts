// The changed parts of a fixed listing as zod, for servers whose schemas are written so: snippets to paste, not a program.

import type { FixedListing, FixedTool } from '../../core/advice/fix-tools.ts';
import { TODO_KEY } from '../../core/advice/fix-tools.ts';
import { isRecord } from '../../core/values/is-record.ts';

type Schema = Readonly<Record<string, unknown>>;

/** One block for each changed tool: its description if that changed, and the changed arguments. */
export function formatZod({ changed, todo }: FixedListing): string {
  const blocks = changed.map(formatTool).filter((block) => block !== '');
  const notes = todo.map((text) => `// ${text}`).join('\n');
  return [...(notes === '' ? [] : [notes]), ...blocks].map((block) => `${block}\n`).join('\n');
}

function formatTool({ tool, describes, pointers }: FixedTool): string {
  const meta = isRecord(tool['_meta']) ? tool['_meta'][TODO_KEY] : undefined;
  const notes = Array.isArray(meta) ? meta.map((note) => `// ${note}`) : [];
  const description = describes ? [`description: ${JSON.stringify(tool['description'])},`] : [];
  const names = [...new Set(pointers.map((pointer) => pointer.split('/')[3] ?? ''))];
  const fields = names.flatMap((name) => formatField(tool['inputSchema'], decodeStep(name)));
  const input = fields.length === 0 ? [] : ['inputSchema: {', ...fields.map((line) => `  ${line}`), '},'];
  return [`// ${tool['name']}`, ...notes, ...description, ...input].join('\n');
}

const decodeStep = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

function formatField(parent: unknown, name: string): string[] {
  if (!isRecord(parent) || !isRecord(parent['properties'])) return [];
  const schema = parent['properties'][name];
  if (!isRecord(schema)) return [];
  const comment = typeof schema['$comment'] === 'string' ? [`// ${schema['$comment']}`] : [];
  const required = Array.isArray(parent['required']) && parent['required'].includes(name);
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return [...comment, `${key}: ${toZod(schema)}${required || 'default' in schema ? '' : '.optional()'},`];
}

/** What has no counterpart here, such as alternatives, is left to the author. */
function toZod(schema: Schema): string {
  const { default: initial, description } = schema;
  return [
    toBaseType(schema),
    ...(initial === undefined ? [] : [`.default(${JSON.stringify(initial)})`]),
    ...(typeof description === 'string' ? [`.describe(${JSON.stringify(description)})`] : []),
  ].join('');
}

function toBaseType(schema: Schema): string {
  const { type, enum: listed, items, format } = schema;
  if (Array.isArray(listed) && listed.every((value) => typeof value === 'string'))
    return `z.enum(${JSON.stringify(listed)})`;
  if (type === 'integer' || type === 'number')
    return `z.number()${type === 'integer' ? '.int()' : ''}${formatBounds(schema, ['minimum', 'maximum'])}`;
  if (type === 'string' && format === undefined)
    return `z.string()${formatBounds(schema, ['minLength', 'maxLength'])}`;
  if (type === 'boolean') return 'z.boolean()';
  if (type === 'array' && isRecord(items)) return `z.array(${toZod(items)})`;
  if (type === 'object' && isRecord(schema['properties'])) return formatObject(schema, schema['properties']);
  return 'z.unknown() /* the type as before */';
}

function formatBounds(schema: Schema, [lower, upper]: readonly [string, string]): string {
  const [least, most] = [schema[lower], schema[upper]];
  return `${typeof least === 'number' ? `.min(${least})` : ''}${typeof most === 'number' ? `.max(${most})` : ''}`;
}

function formatObject(schema: Schema, properties: Schema): string {
  const fields = Object.keys(properties).flatMap((name) => formatField(schema, name));
  // A comment ends its line.
  return `z.object({\n${fields.map((line) => `  ${line}`).join('\n')}\n})`;
}
