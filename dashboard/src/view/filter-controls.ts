// The filters that all pages share, as the filter bar shows them.

import type { Filter } from '../../../src/contract/query.ts';
import type { ServersResponse } from '../../../src/contract/tools.ts';

type Server = ServersResponse['servers'][number];

interface FilterControl {
  readonly label: string;
  /** The values to choose from; a filter without them is set by links and shown as a chip. */
  readonly listValues?: (server: Server) => readonly string[];
}

/** In the order of the filter bar. */
export const FILTER_CONTROLS: Readonly<Record<Filter, FilterControl>> = {
  server: { label: 'Server', listValues: ({ server }) => [server] },
  environment: { label: 'Environment', listValues: ({ environments }) => environments },
  version: { label: 'Version', listValues: ({ versions }) => versions },
  tool: { label: 'Tool', listValues: ({ tools }) => tools },
  client: { label: 'Client', listValues: ({ clients }) => clients },
  plan: { label: 'Plan' },
};

export const FILTER_NAMES = Object.keys(FILTER_CONTROLS) as Filter[]; // the keys of that record
