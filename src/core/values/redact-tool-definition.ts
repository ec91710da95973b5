// A tool's definition before it leaves: the author's own words, and shown whole in every mode, but for keys and tokens
// that stand in defaults, examples, enums or descriptions by mistake. Addresses stay; in a description they are contacts.
import type { ToolDefinition } from '../model/catalogue.ts';
import { isRecord } from './is-record.ts';
import { findKeyRule } from './key-rules.ts';
import { redactSecrets, redactShortText } from './redact-text.ts';
import { toRedactionMarker } from './redaction-rule.ts';

const MAX_DEPTH = 64;
/** Where a schema holds values rather than words about them. */
const VALUE_KEYWORDS: readonly string[] = ['default', 'const', 'example', 'examples', 'enum'];

/**
 * A copy of a definition without keys and tokens; defaults and examples of properties with telling names go whole, and
 * the name is redacted as that of a call is.
 */
export function redactToolDefinition(tool: ToolDefinition): ToolDefinition {
  const copy = visit(tool, undefined, 0);
  return { ...(isRecord(copy) && copy), name: redactShortText(tool.name, Number.POSITIVE_INFINITY) };
}

function visit(value: unknown, rule: string | undefined, depth: number): unknown {
  if (typeof value === 'string') return redactSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => visit(item, rule, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === 'properties' && isRecord(item)) return [key, visitProperties(item, depth + 1)];
      if (rule !== undefined && VALUE_KEYWORDS.includes(key)) return [key, redactSchemaValue(item, rule)];
      return [redactSecrets(key), visit(item, rule, depth + 1)];
    }),
  );
}

function visitProperties(properties: Record<string, unknown>, depth: number): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      redactSecrets(name),
      visit(schema, findKeyRule(name), depth + 1),
    ]),
  );
}

function redactSchemaValue(value: unknown, rule: string): unknown {
  if (Array.isArray(value)) return value.map((item) => redactSchemaValue(item, rule));
  return typeof value === 'string' && value !== '' ? toRedactionMarker(rule) : value;
}
