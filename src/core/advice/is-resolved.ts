// Whether a definition resolves a finding by itself: it has what was suggested, or what the finding is about no longer exists.
// A reworded description or example proves nothing: only calls show whether it helped.

import type { ToolDefinition } from '../model/catalogue.ts';
import { isRecord } from '../values/is-record.ts';
import { findArgument } from './declared-arguments.ts';
import type { DefinitionEdit, Finding } from './finding.ts';

/** @param definition the current definition of the finding's tool */
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

/** The value at a JSON pointer (RFC 6901). */
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
