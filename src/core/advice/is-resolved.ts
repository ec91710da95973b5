// Whether a definition answers a finding by itself: what it asked for stands there now, or what it was about is gone. Then calls
// need not prove it. A description or an example that reads differently proves nothing: only agents can tell whether it helped.

import type { ToolDefinition } from '../model/catalogue.ts';
import { isRecord } from '../values/is-record.ts';
import { findArgument } from './declared-arguments.ts';
import type { DefinitionEdit, Finding } from './finding.ts';

/** @param definition as it stands now, of the tool that the finding is about */
export function isResolved(
  { tool, argument, suggestion }: Pick<Finding, 'tool' | 'argument' | 'suggestion'>,
  definition: ToolDefinition,
): boolean {
  if (argument !== '' && findArgument(definition, argument) === undefined) return true;
  return suggestion.edits.some((edit) => edit.tool === tool && isApplied(edit, definition));
}

function isApplied({ pointer, before, after }: DefinitionEdit, definition: ToolDefinition): boolean {
  if (/\/(?:description|examples)$/.test(pointer)) return false;
  const value = valueAt(definition, pointer);
  if (before === undefined) return value !== undefined;
  return after === undefined ? value === undefined : value !== undefined && value === after;
}

/** What stands at a JSON pointer (RFC 6901); undefined where nothing does. */
function valueAt(root: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, step) => {
      if (Array.isArray(value)) return value[Number(step)];
      return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    }, root);
}
