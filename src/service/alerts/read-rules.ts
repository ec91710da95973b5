// Finds the rules file: the one that was named, else `alerts.json` in the data directory, else none, and then the
// built-in rules hold.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../errors.ts';
import { type AlertSetup, DEFAULT_SETUP, parseRules } from './parse-rules.ts';

export interface RulesSource {
  /** A path that must be there, or undefined. */
  readonly named: string | undefined;
  readonly dataDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface FoundRules extends AlertSetup {
  /** Where they were read from. */
  readonly path: string | null;
}

/** @throws UserError INVALID_SETTING naming the rule, the field, what was given and what is allowed */
export function readRules({ named, dataDirectory, environment }: RulesSource): FoundRules {
  const path = named ?? join(dataDirectory, 'alerts.json');
  const text = readText(path, named !== undefined);
  if (text === undefined) return { ...DEFAULT_SETUP, path: null };
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
