// Which results fed a later call, by plain search over the rows in memory.
import { parseArgumentOrigins } from '../../../src/core/model/argument-origin.ts';
import type { DatasetCall } from '../dataset/dataset.ts';
import { isWithin, type OracleFilters, type OracleRange, toolCalls } from './call-stats.ts';

export interface UseInput {
  readonly calls: readonly DatasetCall[];
  readonly span: OracleRange;
  readonly filters?: OracleFilters;
}

export interface FollowedResult {
  readonly call: DatasetCall;
  readonly isUsed: boolean;
}

/** The results of the range with fields that can be recognised. */
export function followResults({ calls, span, filters = {} }: UseInput): FollowedResult[] {
  const { server, environment } = filters;
  const later = toolCalls(calls, span, { ...(server && { server }), ...(environment && { environment }) });
  const used = new Set((later as DatasetCall[]).flatMap(listFirstUses));
  return (toolCalls(calls, span, filters) as DatasetCall[])
    .filter((call) => isWithin(call, span) && (call.result_fields ?? '') !== '')
    .map((call) => ({ call, isUsed: used.has(`${call.server_name} ${call.span_id}`) }));
}

/** The results that a call is the first to use. */
function listFirstUses({ server_name, argument_origins = '', argument_sources = '' }: DatasetCall): string[] {
  const ids = argument_sources.split(',');
  return parseArgumentOrigins(argument_origins)
    .flatMap(({ source }) => source ?? [])
    .flatMap(({ use }, at) => (use.startsWith('first') ? [`${server_name} ${ids[at]}`] : []));
}
