// Address and credentials of a ClickHouse server. Credentials in the URL override the separate settings and
// are removed from it, so that the URL can be logged.

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
