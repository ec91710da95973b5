// Whose a storm is.

import type { LoopCause } from '../model/loop-cause.ts';
import type { OpenStorm } from './storm-in-progress.ts';

/** Several tools that fail alike, or an outage, are the server's; one tool with an error of its own is the tool's. */
export function stormCauseOf({
  kind,
  isOutage,
  tools,
}: Pick<OpenStorm, 'kind' | 'isOutage' | 'tools'>): LoopCause {
  return isOutage || (kind === 'failure' && tools.size > 1) ? 'server' : 'tool';
}
