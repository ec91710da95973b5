// Failures of every tool, grouped for advice, with leaks found in their messages. A message is a masked
// template unless more was captured, so stack traces are matched in both forms.
//
// Serves advice on the tools and tool pages. Reads windows of `calls`, whose key begins with server and time.

import { z } from 'zod';
import type { FailureEvidence } from '../../../core/advice/tool-evidence.ts';
import { FAULTS, OUTCOMES } from '../../../core/model/outcome.ts';
import { ATTR_ERROR_RETRY_AFTER } from '../../../core/semconv/toolscope-attributes.ts';
import { count } from '../../store/row-codec.ts';
import type { Where } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import type { FailureSteps } from '../tools/call-order.ts';

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  of_outcome: z.enum(OUTCOMES),
  of_fault: z.enum(FAULTS),
  code: z.string(),
  template: z.string(),
  argument: z.string(),
  n: count,
  session_count: count,
  seen: count,
  with_recovery: count,
  with_retryable: count,
  with_final: count,
  with_retry_after: count,
  versions: z.array(z.string()),
});

/** Groups per tool; beyond this they show no pattern. */
const MAX_GROUPS_PER_TOOL = 100;

/**
 * Finds internals of a server that a message leaks.
 *
 * @param message a masked template, or the message itself
 */
export function findLeaks(message: string): { readonly stackTrace: boolean; readonly path: boolean } {
  return { stackTrace: STACK_TRACE.test(message), path: FILE_PATH.test(message) };
}

/** Stack frames of V8, the JVM, Python, .NET and Go, complete or with masked paths and numbers. */
const STACK_TRACE =
  /Traceback \(most recent call last\)|\bFile (?:"[^"]+"|<str>|<path>), line (?:\d+|<n>)|\bat (?:async |new )?(?:[\w$.<>[\]]+ )*\(?(?:node:[\w/]+|file:\/\/\S+?|[\w./\\:-]*[/\\.][\w./\\-]+|<path>|<url>):(?:\d+|<n>)|\bgoroutine (?:\d+|<n>) \[/;
const FILE_PATH = /<path>|(?:^|[\s"'(=])(?:\/[\w.-]+){2,}|\b[A-Za-z]:\\[\w.\\-]+/;

/** @returns by server and tool */
export async function readFailureEvidence(
  { where, steps }: { readonly where: Where; readonly steps: readonly FailureSteps[] },
  { store }: QueryContext,
): Promise<(server: string, tool: string) => FailureEvidence[]> {
  const rows = await store.query({ sql: failuresSql(where.sql), params: where.params, row: Row });
  return (server, tool) =>
    rows
      .filter((row) => row.server === server && row.tool === tool)
      .map((row) =>
        toFailureEvidence(
          row,
          steps.find((step) => isSameFailure(step, row)),
        ),
      );
}

function isSameFailure(step: FailureSteps, row: z.infer<typeof Row>): boolean {
  return (
    step.server === row.server &&
    step.tool === row.tool &&
    step.outcome === row.of_outcome &&
    step.code === row.code &&
    step.template === row.template &&
    step.argument === row.argument
  );
}

function toFailureEvidence(row: z.infer<typeof Row>, step: FailureSteps | undefined): FailureEvidence {
  const leaks = findLeaks(row.template);
  return {
    code: row.code,
    outcome: row.of_outcome,
    fault: row.of_fault,
    template: row.template,
    argument: row.argument,
    calls: row.n,
    sessions: row.session_count,
    withCode: row.code !== '' && row.code !== row.of_outcome ? row.n : 0,
    seen: row.seen,
    withRecovery: row.with_recovery,
    withRetryable: row.with_retryable,
    withFinal: row.with_final,
    withRetryAfter: row.with_retry_after,
    tooEarly: step?.tooEarly ?? 0,
    withStackTrace: leaks.stackTrace ? row.n : 0,
    withPath: leaks.path ? row.n : 0,
    versions: row.versions,
    next: {
      sameCall: step?.sameCall ?? 0,
      changedArgument: step?.changedAtFault ?? 0,
      otherTool: step?.otherTool ?? 0,
      recovered: step?.recovered ?? 0,
      gaveUp: step?.gaveUp ?? 0,
    },
  };
}

/** Names in the structure of an error, and words in its message, that say what to do, or whether a retry can succeed. */
const RECOVERY_KEY = '(?i)"([a-z_]*recovery[a-z_]*|hints?|suggest(ions?|ed_?actions?)|remedy|next_?steps?)":';
const RECOVERY_WORDS = '(?i)\\\\brecovery *[:=]';
const RETRY_KEY = '(?i)"((is_?)?retr(yable|iable)|can_?retry|retry_?after(_?(ms|seconds))?)":';
const RETRY_WORDS = '(?i)\\\\b(retryable|retry[ _-]?after)\\\\b';

const failuresSql = (where: string) => `
    SELECT
      server_name AS server,
      tool_name AS tool,
      toString(outcome) AS of_outcome,
      toString(fault) AS of_fault,
      toString(error_code) AS code,
      error_message AS template,
      toString(error_argument) AS argument,
      count() AS n,
      uniqExactIf(cityHash64(session_source, session_id), session_id != '') AS session_count,
      countIf(result_shape != '') AS seen,
      countIf(match(result_shape, '${RECOVERY_KEY}') OR match(error_message, '${RECOVERY_WORDS}')) AS with_recovery,
      countIf(match(result_shape, '${RETRY_KEY}') OR match(error_message, '${RETRY_WORDS}')) AS with_retryable,
      countIf(match(result_shape, '(?i)"(is_?)?retr(yable|iable)":false')) AS with_final,
      countIf(attributes['${ATTR_ERROR_RETRY_AFTER}'] != '') AS with_retry_after,
      groupUniqArrayIf(50)(toString(server_version), server_version != '') AS versions
    FROM calls
    WHERE ${where} AND fault != 'none'
    GROUP BY server, tool, of_outcome, of_fault, code, template, argument
    ORDER BY n DESC, template
    LIMIT ${MAX_GROUPS_PER_TOOL} BY server, tool`;
