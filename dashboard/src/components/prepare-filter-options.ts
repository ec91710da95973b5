// The options of a filter: the values of the chosen server, and always the chosen value, even if unused.
import type { ServersResponse } from '../../../src/contract/tools.ts';
import type { View } from '../view/view.ts';

type ListedFilter = 'server' | 'environment' | 'version' | 'tool' | 'client';

interface FilterOptionsInput {
  readonly name: ListedFilter;
  readonly view: View;
}

/** Sorted and without duplicates. */
export function prepareFilterOptions(
  response: ServersResponse | undefined,
  { name, view }: FilterOptionsInput,
): string[] {
  const servers = response?.servers ?? [];
  const within = servers.filter(({ server }) => view.server === undefined || server === view.server);
  const names = {
    server: () => servers.map(({ server }) => server),
    environment: () => within.flatMap(({ environments }) => environments),
    version: () => within.flatMap(({ versions }) => versions),
    tool: () => within.flatMap(({ tools }) => tools),
    client: () => within.flatMap(({ clients }) => clients),
  }[name]();
  const chosen = view[name];
  return [...new Set([...names, ...(chosen ? [chosen] : [])])].filter(Boolean).sort();
}
