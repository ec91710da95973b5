// The cause of a storm.

import type { LoopCause } from '../model/loop-cause.ts';
import type { OpenStorm } from './storm-in-progress.ts';

/**
 * Several tools with the same failure, or an outage, point to the server; a single tool with its own error
 * points to the tool.
 */
export function stormCauseOf({
  kind,
  isOutage,
  tools,
}: Pick<OpenStorm, 'kind' | 'isOutage' | 'tools'>): LoopCause {
  return isOutage || (kind === 'failure' && tools.size > 1) ? 'server' : 'tool';
}
