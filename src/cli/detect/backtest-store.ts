// `toolscope detect --from-store`: backtests recorded sessions. If a service holds the data directory, it
// runs the backtest; otherwise this process opens the store. Nothing is changed.

import { BacktestResponse, type BacktestSession } from '../../contract/backtest.ts';
import type { Queries } from '../../contract/queries.ts';
import { parseTime, TIME_FORMATS } from '../../contract/time-range.ts';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import { UserError } from '../../errors.ts';
import { readControlFile } from '../../service/data-directory/control-file.ts';
import type { OptionValues } from '../command.ts';
import { readMaintenanceConfig } from '../maintenance-command.ts';
import type { Output } from '../output.ts';
import { requestService } from '../request-service.ts';

export interface StoreBacktest {
  /** Undefined uses the service's thresholds. */
  readonly table: ThresholdTable | undefined;
  readonly onSession: (session: BacktestSession) => Promise<void>;
  readonly stderr: Output;
}

const PAGE_SIZE = 100;
const DEFAULT_SINCE = 'now-24h';

/**
 * Backtests the recorded sessions that the options select, newest first, and summarises what changed.
 * @throws UserError or UpstreamError, from the service or the store
 */
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
    `${counts.sessions} sessions judged, ${counts.loops} of them loop. Compared with what was recorded: ` +
      `${counts.fires} would fire that did not, ${counts.silent} would no longer.\n`,
  );
}

type BacktestQuery = Parameters<Queries['backtest']>[0] extends infer Q
  ? Omit<Q, 'range' | 'cursor'> & { readonly from: string; readonly to: string }
  : never;

async function readPages(
  options: OptionValues,
  query: BacktestQuery,
  takePage: (answer: BacktestResponse) => Promise<void>,
): Promise<void> {
  const { config, log } = await readMaintenanceConfig(options);
  const control = readControlFile(config.dataDirectory);
  if (control) {
    const ask = async (cursor: string | undefined): Promise<BacktestResponse | undefined> => {
      const response = await requestService(control, {
        path: toBacktestPath(query, cursor),
        token: config.token,
      });
      return response.status === 'answered' ? BacktestResponse.parse(response.body) : undefined;
    };
    const first = await ask(undefined);
    if (first) return forEachPage(first, { fetchPage: ask, takePage });
  }
  const { withOfflineService } = await import('../../service/composition/offline.ts');
  const { from, to, ...rest } = query;
  const nowMs = Date.now();
  // Both were validated before, so the fallbacks are never used.
  const range = { fromMs: parseTime(from, nowMs) ?? nowMs, toMs: parseTime(to, nowMs) ?? nowMs };
  await withOfflineService(config, log, async ({ queries }) => {
    const ask = (cursor: string | undefined) =>
      queries.backtest({ ...rest, range, ...(cursor !== undefined && { cursor }) });
    await forEachPage(await ask(undefined), { fetchPage: ask, takePage });
  });
}

interface PageReader {
  readonly fetchPage: (cursor: string | undefined) => Promise<BacktestResponse | undefined>;
  readonly takePage: (answer: BacktestResponse) => Promise<void>;
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
  return `loops/judged?${parameters}`;
}

function parseSince(since: string | true | undefined): string {
  if (typeof since !== 'string') return DEFAULT_SINCE;
  if (parseTime(since, Date.now()) !== undefined && since !== 'now') return since;
  throw new UserError('INVALID_PARAMETER', `--since is "${since}". Expected ${TIME_FORMATS}.`, {
    field: 'since',
  });
}
