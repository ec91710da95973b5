// The package's version, from its package.json.

import { readFileSync } from 'node:fs';

export function readPackageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  // Our own package.json.
  return (JSON.parse(text) as { version: string }).version;
}
