// The options of a filter: the values of the chosen server, and always the chosen values, even if unused.
import { passesFilter, toFilterChoice } from '../../../src/contract/filter-value.ts';
import type { Filter } from '../../../src/contract/query.ts';
import type { ServersResponse } from '../../../src/contract/tools.ts';
import { FILTER_CONTROLS } from '../view/filter-controls.ts';
import type { View } from '../view/view.ts';

interface FilterOptionsInput {
  readonly name: Filter;
  readonly view: View;
}

/** Sorted and without duplicates. */
export function prepareFilterOptions(
  response: ServersResponse | undefined,
  { name, view }: FilterOptionsInput,
): string[] {
  const servers = response?.servers ?? [];
  const within = name === 'server' ? undefined : view.server;
  const names = servers
    .filter(({ server }) => passesFilter(within, server))
    .flatMap((server) => FILTER_CONTROLS[name].listValues?.(server) ?? []);
  const { only, except } = toFilterChoice(view[name]);
  return [...new Set([...names, ...only, ...except])].filter(Boolean).sort();
}
