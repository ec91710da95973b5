// Loads the rules file: the configured path, else `alerts.json` in the data directory, else the built-in
// rules.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../errors.ts';
import { type AlertConfig, DEFAULT_ALERT_CONFIG, parseRules } from './parse-rules.ts';

export interface RulesLocation {
  /** A path that must be there, or undefined. */
  readonly explicitPath: string | undefined;
  readonly dataDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface LoadedAlertConfig extends AlertConfig {
  /** Where they were read from. */
  readonly path: string | null;
}

/** @throws UserError INVALID_SETTING naming the rule, the field, what was given and what is allowed */
export function loadAlertConfig({
  explicitPath,
  dataDirectory,
  environment,
}: RulesLocation): LoadedAlertConfig {
  const path = explicitPath ?? join(dataDirectory, 'alerts.json');
  const text = readText(path, explicitPath !== undefined);
  if (text === undefined) return { ...DEFAULT_ALERT_CONFIG, path: null };
  return { ...parseRules({ path, text, environment }), path };
}

function readText(path: string, isRequired: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (isMissing && !isRequired) return undefined;
    throw new UserError(
      'INVALID_SETTING',
      `${path} cannot be read. Expected a readable JSON file of alert rules.`,
      {
        field: 'alertsFile',
        cause,
      },
    );
  }
}
