// All promises of one definition with the calls that tested them.

import type { ToolDefinition } from '../../model/catalogue.ts';
import type { OrderedTests } from './ordered-promises.ts';
import { type PromiseRecord, toPromiseRecord } from './promise.ts';
import { type ShapedCalls, testArguments, testOutput } from './shape-promises.ts';
import { type EndedCalls, testWords } from './worded-promises.ts';

/** What is known of the calls that met one definition. */
export interface ContractEvidence {
  readonly inOrder: OrderedTests;
  readonly arguments: readonly ShapedCalls[];
  readonly results: readonly ShapedCalls[];
  readonly ends: readonly EndedCalls[];
}

/** Empty for a definition that promises nothing. */
export function testContract(tool: ToolDefinition, evidence: ContractEvidence): PromiseRecord[] {
  const { inOrder, results } = evidence;
  const output = testOutput(tool, results);
  return [
    ...testHints(tool, inOrder),
    ...(output === undefined ? [] : [output]),
    ...testArguments(tool, evidence.arguments),
    ...testWords(tool, evidence.ends),
  ];
}

/** A tool that only reads destroys nothing and can be repeated: that is one promise, not three. */
function testHints({ annotations = {} }: ToolDefinition, inOrder: OrderedTests): PromiseRecord[] {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
  if (readOnlyHint === true) return [toPromiseRecord({ kind: 'read_only' }, inOrder.readOnly)];
  return [
    ...(destructiveHint === false
      ? [toPromiseRecord({ kind: 'not_destructive' }, inOrder.notDestructive)]
      : []),
    ...(idempotentHint === true ? [toPromiseRecord({ kind: 'idempotent' }, inOrder.idempotent)] : []),
  ];
}
