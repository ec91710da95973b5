// Describes a call's result without its values: a code, or sizes and a shape. The agent already has the
// result; the description only has to show that it was the same.

import type { LoopCall } from '../loops/loop-call.ts';
import type { ToolCall } from '../model/tool-call.ts';

/** A call as the guard records it: the detector's fields, and the result's shape for the description. */
export type GuardedCall = LoopCall & Pick<ToolCall, 'resultShape'>;

const MAX_SHAPE_LENGTH = 160;

export function describeAnswer(call: GuardedCall): string {
  const { outcome, errorCode, errorInResult } = call;
  if (outcome !== 'ok') return `${outcome.replaceAll('_', ' ')}${describeCode(outcome, errorCode)}`;
  const shape = call.resultShape.slice(0, MAX_SHAPE_LENGTH);
  const size = `${call.resultBytes} bytes in ${call.resultLines} ${call.resultLines === 1 ? 'line' : 'lines'}`;
  const what = errorInResult ? 'a result that says it failed' : 'a result';
  return `${what}, ${size}${shape === '' ? '' : `, shape ${shape}${shape.length < call.resultShape.length ? '…' : ''}`}`;
}

function describeCode(outcome: string, errorCode: string): string {
  return errorCode === '' || errorCode === outcome ? ', no code' : `, code ${errorCode}`;
}
