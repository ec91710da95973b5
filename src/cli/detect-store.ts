// `toolscope detect --from-store`: sessions that were recorded, judged anew. The service that holds the data directory
// judges them, if one runs; otherwise this process opens the store. Nothing is changed by it.

import { JudgedAnswer, type JudgedSession } from '../contract/judged.ts';
import { parseTime, TIME_FORMS } from '../contract/time-range.ts';
import type { ThresholdTable } from '../core/loops/thresholds.ts';
import { UserError } from '../errors.ts';
import type { Questions } from '../service/api/questions-port.ts';
import { readControl } from '../service/control-file.ts';
import { askService } from './ask-service.ts';
import type { OptionValues } from './command.ts';
import type { Output } from './output.ts';
import { readUpkeepConfig } from './upkeep-command.ts';

export interface StoreJudging {
  /** Undefined: those of the service. */
  readonly table: ThresholdTable | undefined;
  readonly onSession: (session: JudgedSession) => Promise<void>;
  /** For the summary. */
  readonly stderr: Output;
}

const PAGE = 100;
const DEFAULT_SINCE = 'now-24h';

/**
 * Judges the recorded sessions that the options name, newest first, and sums up what changed.
 *
 * @throws UserError or UpstreamError, of the service or of the store
 */
export async function judgeStore(
  options: OptionValues,
  { table, onSession, stderr }: StoreJudging,
): Promise<void> {
  const query = {
    from: readSince(options['since']),
    to: 'now',
    ...(typeof options['session'] === 'string' && { session: options['session'] }),
    ...(table && { thresholds: JSON.stringify(table) }),
    limit: PAGE,
  };
  const counts = { sessions: 0, loops: 0, fires: 0, silent: 0 };
  const take = async ({ sessions }: JudgedAnswer): Promise<void> => {
    for (const session of sessions) {
      counts.sessions++;
      if (session.verdict === 'suspected' || session.verdict === 'confirmed') counts.loops++;
      if (session.change !== 'same') counts[session.change]++;
      await onSession(session);
    }
  };
  await readPages(options, query, take);
  stderr.write(
    `${counts.sessions} sessions judged, ${counts.loops} of them loop. Compared with what was recorded: ` +
      `${counts.fires} would fire that did not, ${counts.silent} would no longer.\n`,
  );
}

type Query = Parameters<Questions['judged']>[0] extends infer Q
  ? Omit<Q, 'range' | 'cursor'> & { readonly from: string; readonly to: string }
  : never;

async function readPages(
  options: OptionValues,
  query: Query,
  take: (answer: JudgedAnswer) => Promise<void>,
): Promise<void> {
  const { config, log } = await readUpkeepConfig(options);
  const control = readControl(config.dataDirectory);
  if (control) {
    const ask = async (cursor: string | undefined): Promise<JudgedAnswer | undefined> => {
      const asked = await askService(control, { path: toPath(query, cursor), token: config.token });
      return asked.status === 'answered' ? JudgedAnswer.parse(asked.body) : undefined;
    };
    const first = await ask(undefined);
    if (first) return eachPage(first, { ask, take });
  }
  const { withRooms } = await import('../service/rooms-alone.ts');
  const { from, to, ...rest } = query;
  const nowMs = Date.now();
  // Both were tried before; the fallbacks are never taken.
  const range = { fromMs: parseTime(from, nowMs) ?? nowMs, toMs: parseTime(to, nowMs) ?? nowMs };
  await withRooms(config, log, async ({ questions }) => {
    const ask = (cursor: string | undefined) =>
      questions.judged({ ...rest, range, ...(cursor !== undefined && { cursor }) });
    await eachPage(await ask(undefined), { ask, take });
  });
}

interface Pages {
  readonly ask: (cursor: string | undefined) => Promise<JudgedAnswer | undefined>;
  readonly take: (answer: JudgedAnswer) => Promise<void>;
}

async function eachPage(first: JudgedAnswer, { ask, take }: Pages): Promise<void> {
  for (let page: JudgedAnswer | undefined = first; page !== undefined; ) {
    await take(page);
    page = page.nextCursor === null ? undefined : await ask(page.nextCursor);
  }
}

function toPath(query: Query, cursor: string | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor }))
    if (value !== undefined) parameters.set(name, String(value));
  return `loops/judged?${parameters}`;
}

function readSince(since: string | true | undefined): string {
  if (typeof since !== 'string') return DEFAULT_SINCE;
  if (parseTime(since, Date.now()) !== undefined && since !== 'now') return since;
  throw new UserError('INVALID_PARAMETER', `--since is "${since}". Expected ${TIME_FORMS}.`, {
    field: 'since',
  });
}
