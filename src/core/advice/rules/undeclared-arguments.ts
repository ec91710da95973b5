// TD035: arguments that agents send and no schema declares. Most servers drop them in silence.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { toSchemaLocation } from '../../values/schema-location.ts';
import { findArgument } from '../declared-arguments.ts';
import { formatShareOf } from '../format-counts.ts';
import type { TrafficRule } from '../rule.ts';
import { MIN_CALLS } from '../tool-errors.ts';

const MIN_SHARE_SENT = 0.2;

export const undeclaredArguments: TrafficRule = {
  id: 'TD035',
  level: 'warning',
  title: 'Argument that is not declared',
  condition: `An argument that the schema does not declare was in at least ${100 * MIN_SHARE_SENT} % of ${MIN_CALLS} or more calls; not where the schema takes any name.`,
  disprovedBy: 'The client adds it to every call of every tool.',
  check: ({ evidence: { tool, arguments: sent }, definition }) => {
    if (definition === undefined || takesAnyName(definition)) return [];
    return sent
      .filter(({ path }) => !/[.[<]/.test(path) && findArgument(definition, path) === undefined)
      .filter(({ known, sent: calls }) => known >= MIN_CALLS && calls >= MIN_SHARE_SENT * known)
      .map(({ path, known, sent: calls, types }) => ({
        tool,
        argument: path,
        finding: `${formatShareOf(calls, known)} of "${tool}" sent "${path}", which its schema does not declare.`,
        counts: { calls: known, sent: calls },
        names: { types: Object.keys(types) },
        calls: { tool },
        suggestion: `Declare "${path}", or refuse it with an error that names the argument to use.`,
      }));
  },
};

/** A schema without `properties` takes anything; additional or pattern properties are an invitation to other names. */
function takesAnyName({ inputSchema }: ToolDefinition): boolean {
  const { schemas } = toSchemaLocation(inputSchema);
  if (schemas.every(({ properties }) => properties === undefined)) return true;
  return schemas.some(
    ({ additionalProperties, patternProperties }) =>
      patternProperties !== undefined ||
      additionalProperties === true ||
      typeof additionalProperties === 'object',
  );
}
