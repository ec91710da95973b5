// What purge, backup and restore have in common: the settings they take, and whom they ask. The service that holds the data
// directory does the work, if one runs; otherwise this process does it.

import type { Logger } from 'pino';
import type { UpkeepPort } from '../service/api/upkeep.ts';
import type { Config, SettingName } from '../service/config/settings.ts';
import { readControl } from '../service/control-file.ts';
import { askService } from './ask-service.ts';
import type { CommandOption, OptionValues } from './command.ts';
import { createLog } from './output.ts';
import { toFlags, toSettingOptions } from './setting-options.ts';

const SETTINGS_TAKEN: readonly SettingName[] = ['dataDirectory', 'clickhouseUrl', 'configFile', 'logLevel'];

export const UPKEEP_OPTIONS: readonly CommandOption[] = [
  ...toSettingOptions(SETTINGS_TAKEN),
  { flags: '--json', description: 'Print the receipt as JSON to stdout.' },
];

export async function readUpkeepConfig(
  options: OptionValues,
): Promise<{ readonly config: Config; readonly log: Logger }> {
  const { readConfig } = await import('../service/config/read-config.ts');
  const config = readConfig({ flags: toFlags(options) });
  const level = config.logLevel === 'info' ? 'warn' : config.logLevel;
  return { config, log: createLog(level) };
}

export interface UpkeepWork<T> {
  readonly path: 'purge' | 'backup';
  readonly body: object;
  readonly parse: (body: unknown) => T;
  /** The same, where no service runs. */
  readonly alone: (upkeep: UpkeepPort) => Promise<T>;
}

/** @throws UserError or UpstreamError, of the service or of the work itself */
export async function doUpkeep<T>(
  { config, log }: { readonly config: Config; readonly log: Logger },
  { path, body, parse, alone }: UpkeepWork<T>,
): Promise<T> {
  const control = readControl(config.dataDirectory);
  if (control) {
    const asked = await askService(control, { path, body, token: config.token });
    if (asked.status === 'answered') return parse(asked.body);
  }
  const { withRooms } = await import('../service/rooms-alone.ts');
  return withRooms(config, log, ({ upkeep }) => alone(upkeep));
}
