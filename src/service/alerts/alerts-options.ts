// What the alerts worker needs from the rest of the service.

import type { Logger } from 'pino';
import type { Clock } from '../../segment-log/clock.ts';
import type { BackgroundReaders } from './alert-background.ts';
import type { AlertEventWriterOptions } from './alert-event-writer.ts';
import type { AlertStateFileOptions } from './alert-state-file.ts';
import type { DigestSenderOptions } from './digest/digest-sender.ts';
import type { LongSessionReaderOptions } from './long-session-reader.ts';
import type { WindowRuleReaderOptions } from './metrics/window-rule-reader.ts';
import type { LoadedAlertConfig } from './parse-rules.ts';
import type { ResolveHostname } from './receivers/check-target.ts';
import type { RulesFile } from './rules-file.ts';

export interface AlertsOptions
  extends AlertStateFileOptions,
    Pick<AlertEventWriterOptions, 'storeEvents'>,
    Pick<LongSessionReaderOptions, 'readSessions'>,
    BackgroundReaders,
    Pick<DigestSenderOptions, 'readDigest'>,
    Pick<WindowRuleReaderOptions, 'windowSource'> {
  /** Its fields change when the rules file does. */
  readonly config: LoadedAlertConfig & Partial<Pick<RulesFile, 'reload' | 'status'>>;
  readonly clock: Clock;
  /** Address of the dashboard unless the rules file sets one; without a trailing slash. */
  readonly url: string;
  readonly resolveHostname: ResolveHostname;
  /** Programs that receivers of type `command` may run. */
  readonly allowedCommands: readonly string[];
  /** Informs open pages of a change. */
  readonly publish: () => void;
  readonly log: Logger;
  readonly timing?: Partial<Timing>;
}

export interface Timing {
  readonly tickMs: number;
  readonly readSessionsMs: number;
  /** How often the rules file is compared with what was read. */
  readonly reloadMs: number;
  /** For one attempt of a webhook. */
  readonly timeoutMs: number;
}

export const DEFAULT_TIMING: Timing = {
  tickMs: 1_000,
  readSessionsMs: 10_000,
  reloadMs: 5_000,
  timeoutMs: 30_000,
};
