// Where a ClickHouse server is and who we are there. Credentials in the URL win over the separate settings and are
// taken out of it, so that the URL can be logged.

import type { Config } from './settings.ts';

export interface ClickHouseAddress {
  /** Without credentials. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/**
 * The server that the settings name.
 *
 * @param config the configuration of the service
 * @returns its address, or undefined when the embedded engine is to be used
 */
export function toClickHouseAddress(config: Config): ClickHouseAddress | undefined {
  if (config.clickhouseUrl === undefined) return undefined;
  const url = new URL(config.clickhouseUrl);
  const username = decodeURIComponent(url.username) || config.clickhouseUser;
  const password = decodeURIComponent(url.password) || config.clickhousePassword;
  url.username = '';
  url.password = '';
  return { url: url.href.replace(/\/$/, ''), username, password };
}
