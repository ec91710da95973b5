// Parses a JSON body into typed values, or rejects it naming the field and what is allowed.

import type { z } from 'zod';
import { UserError } from '../../errors.ts';

/** @throws UserError INVALID_BODY for the first field that does not fit */
export function parseJsonBody<S extends z.ZodObject>(schema: S, raw: unknown): z.output<S> {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = (issue?.path ?? []).join('.');
  const allowed = Object.keys(schema.shape).join(', ');
  throw new UserError(
    'INVALID_BODY',
    `${field === '' ? 'The body' : `Field "${field}"`} is not allowed: ${issue?.message ?? ''}. Expected JSON with ${allowed}.`,
    { ...(field !== '' && { field }) },
  );
}
