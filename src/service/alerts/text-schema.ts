// Text fields of the rules file.

import { z } from 'zod';

/** @param error the expected format, for the error message */
export function textSchema(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error });
}
