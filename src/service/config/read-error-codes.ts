// Reads the file that says which error codes of a server are errors of the caller.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ErrorCodeOverrides } from '../../core/classification/caller-error-codes.ts';
import { UserError } from '../../errors.ts';

const Codes = z.array(z.string().min(1).max(64)).max(1000).default([]);
const ErrorCodesFile = z.record(z.string(), z.strictObject({ callerCodes: Codes, serverCodes: Codes }));

/**
 * @param file JSON by server name, `*` for all servers; undefined for the built-in table alone
 * @throws UserError INVALID_SETTING with the file and the place in it
 */
export function readErrorCodes(file: string | undefined): ErrorCodeOverrides {
  if (file === undefined) return {};
  const parsed = ErrorCodesFile.safeParse(readJson(file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UserError(
    'INVALID_SETTING',
    `${file}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? ''}.`,
    { hint: 'Expected {"server name": {"callerCodes": ["…"], "serverCodes": ["…"]}, "*": {…}}.' },
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const problem = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new UserError('INVALID_SETTING', `the file of error codes ${file} ${problem}`, { cause });
  }
}
