// Shared by purge, backup and restore: their settings, and where the work runs. If a service holds the data
// directory, it does the work; otherwise this process does.

import type { Logger } from 'pino';
import type { MaintenanceService } from '../service/api/maintenance.ts';
import type { Config, SettingName } from '../service/config/settings.ts';
import { readControlFile } from '../service/data-directory/control-file.ts';
import type { CommandOption, OptionValues } from './command.ts';
import { createLog } from './output.ts';
import { requestService } from './request-service.ts';
import { toSettingFlags, toSettingOptions } from './setting-options.ts';

const MAINTENANCE_SETTINGS: readonly SettingName[] = [
  'dataDirectory',
  'clickhouseUrl',
  'configFile',
  'logLevel',
];

export const MAINTENANCE_OPTIONS: readonly CommandOption[] = [
  ...toSettingOptions(MAINTENANCE_SETTINGS),
  { flags: '--json', description: 'Print the receipt as JSON to stdout.' },
];

export async function readMaintenanceConfig(
  options: OptionValues,
): Promise<{ readonly config: Config; readonly log: Logger }> {
  const { readConfig } = await import('../service/config/read-config.ts');
  const config = readConfig({ flags: toSettingFlags(options) });
  const level = config.logLevel === 'info' ? 'warn' : config.logLevel;
  return { config, log: createLog(level) };
}

export interface MaintenanceRequest<T> {
  readonly path: 'purge' | 'backup';
  readonly body: object;
  readonly parse: (body: unknown) => T;
  /** Does the same work in this process, when no service is running. */
  readonly runOffline: (upkeep: MaintenanceService) => Promise<T>;
}

/** @throws UserError or UpstreamError, from the service or from the work itself */
export async function runMaintenance<T>(
  { config, log }: { readonly config: Config; readonly log: Logger },
  { path, body, parse, runOffline }: MaintenanceRequest<T>,
): Promise<T> {
  const control = readControlFile(config.dataDirectory);
  if (control) {
    const response = await requestService(control, { path, body, token: config.token });
    if (response.status === 'answered') return parse(response.body);
  }
  const { withOfflineService } = await import('../service/composition/offline.ts');
  return withOfflineService(config, log, ({ maintenance }) => runOffline(maintenance));
}
