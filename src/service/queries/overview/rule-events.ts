// What happened in a range and alert rules can be about: new error codes and clients, breaking definitions, and
// removed tools.

import type { RuleEvent } from '../../../contract/alert-rule-kinds.ts';
import type { ChangeRow } from '../../../contract/changes.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readCatalogueChanges } from './catalogue-changes.ts';
import { readFirstSeen, readNewCodes } from './changes.ts';

const NO_FILTERS = {};

/** Only the events asked for are read: each is a statement of its own. */
export async function readRuleEvents(
  { range, events }: { readonly range: TimeRange; readonly events: ReadonlySet<RuleEvent> },
  context: QueryContext,
) {
  const needsCatalogue = events.has('breaking_definition') || events.has('tool_removed');
  const changes = await Promise.all([
    events.has('new_error_code') ? readNewCodes(range, NO_FILTERS, context) : [],
    events.has('new_client') ? readFirstSeen(range, NO_FILTERS, context) : [],
    needsCatalogue ? readCatalogueChanges(range, NO_FILTERS, context) : [],
  ]);
  return changes.flat().flatMap((change) => {
    const event = toEvent(change);
    if (event === undefined || !events.has(event)) return [];
    const { server, environment, tool, code = '', client = '', sentence } = change;
    return [{ event, atMs: Date.parse(change.at), server, environment, tool, code, client, sentence }];
  });
}

function toEvent({ kind, isBreaking }: ChangeRow): RuleEvent | undefined {
  if (kind === 'new_code') return 'new_error_code';
  if (kind === 'definition') return isBreaking ? 'breaking_definition' : undefined;
  return kind === 'tool_removed' || kind === 'new_client' ? kind : undefined;
}
