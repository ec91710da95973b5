// Shared by the commands that work on a data directory: their settings, and where the work runs. If a service
// holds the data directory, it does the work; otherwise this process does.

import type { Logger } from 'pino';
import type { MaintenanceHandlers } from '../contract/queries.ts';
import type { Config } from '../service/config/settings.ts';
import { readControlFile } from '../service/data-directory/control-file.ts';
import type { CommandOption, OptionValues } from './command.ts';
import { createLog } from './output.ts';
import { requestService, type ServiceRequest, type ServiceResponse } from './request-service.ts';
import { toSettingFlags, toSettingOptions } from './setting-options.ts';

export const STORE_OPTIONS: readonly CommandOption[] = toSettingOptions([
  'dataDirectory',
  'clickhouseUrl',
  'configFile',
  'logLevel',
]);

export const MAINTENANCE_OPTIONS: readonly CommandOption[] = [
  ...STORE_OPTIONS,
  { flags: '--json', description: 'Print the result as JSON.' },
];

interface MaintenanceConfig {
  readonly config: Config;
  readonly log: Logger;
}

export async function readMaintenanceConfig(options: OptionValues): Promise<MaintenanceConfig> {
  const { readConfig } = await import('../service/config/read-config.ts');
  const config = readConfig({ flags: toSettingFlags(options) });
  const level = config.logLevel === 'info' ? 'warn' : config.logLevel;
  return { config, log: createLog(level) };
}

/** Sends a request to the service that holds the data directory; `gone` when no service is running. */
export async function requestRunningService(
  { dataDirectory, token }: Config,
  request: Omit<ServiceRequest, 'token'>,
): Promise<ServiceResponse> {
  const control = readControlFile(dataDirectory);
  return control ? requestService(control, { ...request, token }) : { status: 'gone' };
}

export interface MaintenanceRequest<T> {
  readonly path: 'purge' | 'backup';
  readonly body: object;
  readonly parse: (body: unknown) => T;
  /** Does the same work in this process, when no service is running. */
  readonly runOffline: (handlers: MaintenanceHandlers) => Promise<T>;
}

/** @throws UserError or UpstreamError, from the service or from the work itself */
export async function runMaintenance<T>(
  { config, log }: MaintenanceConfig,
  { path, body, parse, runOffline }: MaintenanceRequest<T>,
): Promise<T> {
  const response = await requestRunningService(config, { path, body });
  if (response.status === 'answered') return parse(response.body);
  const { withOfflineService } = await import('../service/composition/offline.ts');
  return withOfflineService(config, log, ({ handlers }) => runOffline(handlers));
}
