// Sends each digest once per period: what was sent last and the messages in the outbox are one change on disk, so that
// a restart neither repeats nor loses one. After a time without the service only the newest period is sent.
// Owns the pending read.

import type { Logger } from 'pino';
import type { TimeRange } from '../../../contract/time-range.ts';
import type { Clock } from '../../../segment-log/clock.ts';
import type { AlertStateRepository } from '../alert-state-repository.ts';
import { hasElapsed } from '../has-elapsed.ts';
import { enqueue } from '../outbox.ts';
import type { Digest } from './compose-digest.ts';
import { toDigestMessage } from './digest-message.ts';
import { type DigestSchedule, findDigestRange, findDueMs, toScheduleKey } from './digest-schedule.ts';

/** Undefined until the queries are open. Rejects if the store fails. */
export type ReadDigest = (query: {
  readonly range: TimeRange;
  readonly server: string | undefined;
}) => Promise<Digest | undefined>;

export interface DigestSenderOptions {
  /** Its digests change when the rules file does. */
  readonly config: { readonly digests: readonly DigestSchedule[] };
  readonly repository: AlertStateRepository;
  readonly readDigest: ReadDigest;
  readonly clock: Clock;
  readonly publish: () => void;
  readonly log: Logger;
}

interface DueDigest {
  readonly schedule: DigestSchedule;
  readonly key: string;
  readonly dueMs: number;
  /** Missing if the digest is new. */
  readonly sentMs: number | undefined;
}

const CHECK_MS = 10_000;
const RETRY_MS = 60_000;

export class DigestSender {
  readonly #options: DigestSenderOptions;
  #sending: Promise<void> | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #waitMs = CHECK_MS;

  constructor(options: DigestSenderOptions) {
    this.#options = options;
  }

  /** Starts sending what is due, unless that is pending or was just done; returns at once. */
  send(): void {
    const nowMs = this.#options.clock.now();
    if (this.#sending || !hasElapsed(this.#lastMs, { nowMs, ms: this.#waitMs })) return;
    this.#lastMs = nowMs;
    this.#waitMs = CHECK_MS;
    this.#sending = this.#sendDue(nowMs)
      .catch((error: unknown) => {
        this.#waitMs = RETRY_MS;
        this.#options.log.warn({ err: error }, 'digest could not be composed; it is tried again');
      })
      .finally(() => {
        this.#sending = undefined;
      });
  }

  async settled(): Promise<void> {
    await this.#sending;
  }

  async #sendDue(nowMs: number): Promise<void> {
    const due = this.#listDue(nowMs);
    await this.#remember(due, nowMs);
    for (const one of due) if (one.sentMs !== undefined && one.sentMs < one.dueMs) await this.#sendOne(one);
  }

  #listDue(nowMs: number): readonly DueDigest[] {
    const { config, repository } = this.#options;
    return config.digests.map((schedule) => {
      const key = toScheduleKey(schedule);
      return { schedule, key, dueMs: findDueMs(schedule, nowMs), sentMs: repository.state.digests[key] };
    });
  }

  /** The first digest of a new schedule is that of its first whole period; forgets those that were removed. */
  async #remember(due: readonly DueDigest[], nowMs: number): Promise<void> {
    const { repository } = this.#options;
    // A time in the future means that the clock was set back since.
    const next = Object.fromEntries(
      due.map(({ key, dueMs, sentMs = dueMs }) => [key, sentMs > nowMs ? dueMs : sentMs]),
    );
    const known = repository.state.digests;
    const isSame =
      Object.keys(known).length === due.length && due.every(({ key }) => known[key] === next[key]);
    if (!isSame) await repository.update((alertState) => ({ ...alertState, digests: next }));
  }

  async #sendOne({ schedule, key, dueMs }: DueDigest): Promise<void> {
    const { repository, readDigest, clock, publish, log } = this.#options;
    const range = findDigestRange(schedule, dueMs);
    const digest = await readDigest({ range, server: schedule.server });
    if (!digest) return;
    const nowMs = clock.now();
    const message = toDigestMessage(digest, { schedule, dueMs, nowMs });
    await repository.update((alertState) => ({
      ...alertState,
      digests: { ...alertState.digests, [key]: dueMs },
      outbox: enqueue(alertState.outbox, [message], nowMs),
    }));
    log.info({ digest: schedule.name, ...range }, 'digest was queued');
    publish();
  }
}
