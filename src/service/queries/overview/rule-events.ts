// What happened in a range and alert rules can be about: new error codes and clients, definitions that broke their
// callers, removed tools, and incidents.

import type { RuleEvent } from '../../../contract/alert-rule-kinds.ts';
import type { ChangeRow } from '../../../contract/changes.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { readChangePoints } from '../change-points/change-point-repository.ts';
import { isWorse } from '../change-points/change-points.ts';
import { describeChangePoint } from '../change-points/describe-change-point.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readBrokenCallers } from './broken-callers.ts';
import { readCatalogueChanges } from './catalogue-changes.ts';
import { readFirstSeen, readNewCodes } from './changes.ts';

const NO_FILTERS = {};

/** Only the events asked for are read: each is a statement of its own. */
export async function readRuleEvents(
  { range, events }: { readonly range: TimeRange; readonly events: ReadonlySet<RuleEvent> },
  context: QueryContext,
) {
  const changes = await Promise.all([
    events.has('new_error_code') ? readNewCodes(range, NO_FILTERS, context) : [],
    events.has('new_client') ? readFirstSeen(range, NO_FILTERS, context) : [],
    events.has('tool_removed') ? readCatalogueChanges(range, NO_FILTERS, context) : [],
  ]);
  const others = await Promise.all([
    events.has('breaking_definition') ? readBrokenCallers(range, context) : [],
    events.has('incident') ? readIncidents(range, context) : [],
  ]);
  const own = changes.flat().flatMap((change) => {
    const event = toEvent(change);
    if (event === undefined || !events.has(event)) return [];
    const { server, environment, tool, code = '', client = '', sentence } = change;
    return [{ event, atMs: Date.parse(change.at), server, environment, tool, code, client, sentence }];
  });
  return [...own, ...others.flat()];
}

/** By when they were detected: their first minute is known only afterwards. */
async function readIncidents(range: TimeRange, { store }: QueryContext) {
  const changes = await readChangePoints(range, NO_FILTERS, store);
  return changes
    .filter((change) => isWorse(change) && isWithin(change.detectedMs, range))
    .map((change) => {
      const { server, environment, tool, code, detectedMs } = change;
      const sentence = describeChangePoint({ ...change, state: 'open' });
      return {
        event: 'incident' as const,
        atMs: detectedMs,
        server,
        environment,
        tool,
        code,
        client: '',
        sentence,
      };
    });
}

const isWithin = (ms: number, { fromMs, toMs }: TimeRange): boolean => ms >= fromMs && ms < toMs;

function toEvent({ kind }: ChangeRow): RuleEvent | undefined {
  if (kind === 'new_code') return 'new_error_code';
  return kind === 'tool_removed' || kind === 'new_client' ? kind : undefined;
}
