// The pages of the dashboard as lists of what they ask, name for name as `dashboard/src/api` does.
import { z } from 'zod';
import type { Queries } from '../../src/contract/queries.ts';
import type { TimeRange } from '../../src/contract/time-range.ts';
import { encodeCursor } from '../../src/service/queries/query/cursor.ts';
import { alignRange } from '../../src/service/queries/query/grain.ts';
import type { Store } from '../../src/service/store/store.ts';

export interface PageView {
  readonly queries: Queries;
  readonly store: Store;
  readonly range: TimeRange;
  readonly lengthMs: number;
  readonly nowMs: number;
  readonly filters: { readonly server?: string; readonly client?: string };
}

export type Requests = Readonly<Record<string, () => Promise<unknown>>>;

export interface Page {
  readonly name: string;
  /** All of them where it is left out. */
  readonly ranges?: readonly string[];
  readonly filters?: readonly string[];
  requests(view: PageView): Requests | Promise<Requests>;
}

const SERIES = { by: 'tool' } as const;
const CALLS = { limit: 200 } as const;

/** On every page: the bar's filters. */
const filterBarRequests = ({ queries, range }: PageView): Requests => ({
  servers: () => queries.servers({ range }),
});

export const PAGES: readonly Page[] = [
  {
    name: 'overview',
    requests: (view) => {
      const { queries, range, filters } = view;
      const query = { range, ...filters };
      return {
        ...filterBarRequests(view),
        summary: () => queries.summary(query),
        trend: () => queries.trend(query),
        clients: () => queries.clients(query),
        protocols: () => queries.protocols(query),
        rates: () => queries.rates(query),
        guard: () => queries.guard(query),
        attention: () => queries.attention(query),
        tools: () => queries.tools(query),
        errors: () => queries.errors(query),
        changes: () => queries.changes(query),
        loops: () => queries.loops({ ...query, severity: 'suspected', limit: 100 }),
        'series calls': () => queries.series({ ...query, ...SERIES, metric: 'calls' }),
        'series errorRate': () => queries.series({ ...query, ...SERIES, metric: 'errorRate' }),
        'series correctCallRate': () => queries.series({ ...query, ...SERIES, metric: 'correctCallRate' }),
        'series recoveryRate': () => queries.series({ ...query, ...SERIES, metric: 'recoveryRate' }),
        'series p95': () => queries.series({ ...query, ...SERIES, metric: 'p95' }),
        'never-called': () => queries.neverCalled(query),
        'sessions over 30': () => queries.sessions({ ...query, minCalls: 31, order: 'calls', limit: 8 }),
      };
    },
  },
  {
    name: 'result use',
    requests: (view) => {
      const { queries, range, filters } = view;
      return {
        ...filterBarRequests(view),
        'result-use': () => queries.resultUse({ range, ...filters }),
        tools: () => queries.tools({ range, ...filters }),
        rates: () => queries.rates({ range, ...filters }),
        changes: () => queries.changes({ range, ...filters }),
        'series resultUseRate': () =>
          queries.series({ range, ...filters, ...SERIES, metric: 'resultUseRate' }),
      };
    },
  },
  {
    name: 'tools',
    requests: (view) => {
      const { queries, range, filters } = view;
      const query = { range, ...filters };
      return {
        ...filterBarRequests(view),
        tools: () => queries.tools(query),
        errors: () => queries.errors(query),
        'tool-columns': () => queries.toolColumns(query),
        'never-called': () => queries.neverCalled(query),
        retirements: () => queries.retirements({ server: filters.server }),
        advice: () => queries.advice({ ...query, state: 'open' }),
      };
    },
  },
  {
    name: 'tool',
    filters: ['all', 'client'],
    requests: (view) => {
      const { queries, range, filters } = view;
      return {
        ...filterBarRequests(view),
        tool: () => queries.tool({ id: 'search_wiki_record', range, ...filters, server: 'wiki' }),
        series: () => queries.toolSeries({ id: 'search_wiki_record', range, ...filters, server: 'wiki' }),
        latency: () => queries.toolLatency({ id: 'search_wiki_record', range, ...filters, server: 'wiki' }),
        rates: () => queries.rates({ range, ...filters, server: 'wiki', tool: 'search_wiki_record' }),
        'contract-truth': () =>
          queries.contractTruth({ range, ...filters, server: 'wiki', tool: 'search_wiki_record' }),
        dependencies: () =>
          queries.dependencies({ range, ...filters, server: 'wiki', tool: 'search_wiki_record' }),
        changes: () => queries.changes({ range, ...filters }),
      };
    },
  },
  {
    name: 'sessions',
    requests: (view) => {
      const { queries, range, filters } = view;
      const query = { range, ...filters, minCalls: 0, limit: 100 };
      return {
        ...filterBarRequests(view),
        recent: () => queries.sessions({ ...query, order: 'recent' }),
        'by calls': () => queries.sessions({ ...query, order: 'calls' }),
        'session-counts': () => queries.sessionCounts({ range, ...filters }),
      };
    },
  },
  {
    name: 'session',
    ranges: ['24h'],
    filters: ['all'],
    requests: async (view) => {
      const id = await findLongSession(view);
      return {
        ...filterBarRequests(view),
        session: () => view.queries.session({ id, limit: 1_000 }),
        agent: () => view.queries.sessionAgent({ id, limit: 1 }),
        'agent-side': () => view.queries.sessionAgentSide({ id, limit: 1 }),
      };
    },
  },
  {
    name: 'plans',
    requests: (view) => {
      const query = { range: view.range, ...view.filters, limit: 100 };
      return { ...filterBarRequests(view), plans: () => view.queries.plans(query) };
    },
  },
  {
    name: 'loops',
    requests: (view) => ({
      ...filterBarRequests(view),
      summary: () => view.queries.summary({ range: view.range, ...view.filters }),
      loops: () =>
        view.queries.loops({ range: view.range, ...view.filters, severity: 'suspected', limit: 100 }),
    }),
  },
  {
    name: 'calls',
    requests: (view) => {
      const { queries, filters, range } = view;
      const query = { range, ...filters, ...CALLS };
      const aligned = alignRange(range, { nowMs: view.nowMs, rawDays: 30 });
      const middleUs = Math.floor((aligned.fromMs + aligned.toMs) / 2) * 1_000;
      const cursor = encodeCursor('calls', { range: aligned, after: [middleUs, '', ''] });
      return {
        ...filterBarRequests(view),
        'call-values': () => queries.callValues({ range, ...filters }),
        'call-histogram': () => queries.callHistogram({ range, ...filters }),
        search: () => queries.calls({ ...query, q: 'conflict' }),
        newest: () => queries.calls(query),
        failed: () => queries.calls({ ...query, errors: 'true' }),
        'rare code': () => queries.calls({ ...query, code: 'CONFLICT' }),
        'deep cursor': () => queries.calls({ ...query, cursor }),
        session: async () => queries.calls({ ...query, session: await findLongSession(view) }),
      };
    },
  },
];

const IdRow = z.object({ id: z.string() });

async function findLongSession({ store, nowMs }: PageView): Promise<string> {
  const [row] = await store.query({
    sql: `SELECT session_id AS id FROM sessions WHERE server_name = 'wiki' AND day = toDate(fromUnixTimestamp64Milli({ms:Int64}, 'UTC')) AND calls > 40 ORDER BY id LIMIT 1`,
    params: { ms: nowMs - 86_400_000 },
    row: IdRow,
  });
  return row?.id ?? '';
}
