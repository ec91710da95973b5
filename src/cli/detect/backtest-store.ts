// `toolscope detect --from-store`: backtests recorded sessions. If a service holds the data directory, it
// runs the backtest; otherwise this process opens the store. Nothing is changed.

import { BacktestResponse, type BacktestSession } from '../../contract/backtest.ts';
import type { ResourceRequest } from '../../contract/queries.ts';
import { parseTime, TIME_FORMATS } from '../../contract/time-range.ts';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import type { OptionValues } from '../command.ts';
import { readMaintenanceConfig, requestRunningService } from '../maintenance-command.ts';
import type { Output } from '../output.ts';
import { createOptionError, readString } from '../parse-options.ts';

export interface StoreBacktest {
  /** Undefined uses the service's thresholds. */
  readonly table: ThresholdTable | undefined;
  readonly onSession: (session: BacktestSession) => Promise<void>;
  readonly stderr: Output;
}

const PAGE_SIZE = 100;
const DEFAULT_SINCE = 'now-24h';

/** Backtests the recorded sessions that the options select, newest first, and summarises the changes. */
export async function backtestStore(
  options: OptionValues,
  { table, onSession, stderr }: StoreBacktest,
): Promise<void> {
  const query = {
    from: parseSince(options['since']),
    to: 'now',
    ...(typeof options['session'] === 'string' && { session: options['session'] }),
    ...(table && { thresholds: JSON.stringify(table) }),
    limit: PAGE_SIZE,
  };
  const counts = { sessions: 0, loops: 0, fires: 0, silent: 0 };
  const takePage = async ({ sessions }: BacktestResponse): Promise<void> => {
    for (const session of sessions) {
      counts.sessions++;
      if (session.verdict === 'suspected' || session.verdict === 'confirmed') counts.loops++;
      if (session.change !== 'same') counts[session.change]++;
      await onSession(session);
    }
  };
  await readPages(options, query, takePage);
  stderr.write(
    `${counts.sessions} sessions, ${counts.loops} with loops. Compared with the recorded loops: ` +
      `${counts.fires} new, ${counts.silent} no longer found.\n`,
  );
}

type BacktestQuery = Omit<ResourceRequest<'backtest'>, 'range' | 'cursor'> & {
  readonly from: string;
  readonly to: string;
};

async function readPages(
  options: OptionValues,
  query: BacktestQuery,
  takePage: (page: BacktestResponse) => Promise<void>,
): Promise<void> {
  const { config, log } = await readMaintenanceConfig(options);
  async function fetchPage(cursor: string | undefined): Promise<BacktestResponse | undefined> {
    const response = await requestRunningService(config, { path: toBacktestPath(query, cursor) });
    return response.status === 'answered' ? BacktestResponse.parse(response.body) : undefined;
  }
  const first = await fetchPage(undefined);
  if (first) return forEachPage(first, { fetchPage, takePage });
  const { withOfflineService } = await import('../../service/composition/offline.ts');
  const { from, to, ...rest } = query;
  const nowMs = Date.now();
  // Both were validated before, so the fallbacks are never used.
  const range = { fromMs: parseTime(from, nowMs) ?? nowMs, toMs: parseTime(to, nowMs) ?? nowMs };
  await withOfflineService(config, log, async ({ handlers }) => {
    const getPage = (cursor: string | undefined) =>
      handlers.backtest({ ...rest, range, ...(cursor !== undefined && { cursor }) });
    await forEachPage(await getPage(undefined), { fetchPage: getPage, takePage });
  });
}

interface PageReader {
  readonly fetchPage: (cursor: string | undefined) => Promise<BacktestResponse | undefined>;
  readonly takePage: (page: BacktestResponse) => Promise<void>;
}

async function forEachPage(first: BacktestResponse, { fetchPage, takePage }: PageReader): Promise<void> {
  for (let page: BacktestResponse | undefined = first; page !== undefined; ) {
    await takePage(page);
    page = page.nextCursor === null ? undefined : await fetchPage(page.nextCursor);
  }
}

function toBacktestPath(query: BacktestQuery, cursor: string | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor }))
    if (value !== undefined) parameters.set(name, String(value));
  return `loops/backtest?${parameters}`;
}

function parseSince(given: OptionValues[string]): string {
  const since = readString(given) ?? DEFAULT_SINCE;
  if (parseTime(since, Date.now()) !== undefined && since !== 'now') return since;
  throw createOptionError('since', `"${since}"`, TIME_FORMATS);
}
