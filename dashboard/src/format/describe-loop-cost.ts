// Describes what a loop costs and why it continues; unknown facts are omitted.

import type { LoopRow } from '../../../src/contract/loops.ts';
import { formatCount, formatSignificant, THIN_SPACE } from './format-number.ts';

const CAUSE_LABELS: Readonly<Record<LoopRow['cause'], string>> = {
  agent: 'the agent',
  tool: 'the tool',
  server: 'the server',
  truncated_arguments: 'arguments that arrived cut off',
  missing_permission: 'a missing permission',
};

export function formatCause(cause: LoopRow['cause']): string {
  return CAUSE_LABELS[cause];
}

type LoopCost = Pick<LoopRow, 'wastedTokens' | 'wastedCost' | 'costCurrency'>;

/** An estimate in tokens, with money where a price is configured; undefined without token counts. */
export function describeLoopCost({ wastedTokens, wastedCost, costCurrency }: LoopCost): string | undefined {
  if (wastedTokens === 0) return undefined;
  const tokens = `about ${formatCount(wastedTokens)} tokens`;
  return wastedCost === null
    ? tokens
    : `${tokens}, ${formatSignificant(wastedCost)}${THIN_SPACE}${costCurrency ?? ''}`;
}

/** "7 of 12 such beginnings became a loop here"; undefined when too little is known. */
export function describeBecameLoop({ becameLoop }: Pick<LoopRow, 'becameLoop'>): string | undefined {
  if (becameLoop === null) return undefined;
  return `${formatCount(becameLoop.n)} of ${formatCount(becameLoop.of)} such beginnings became a loop here`;
}
