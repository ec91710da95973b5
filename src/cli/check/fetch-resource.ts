// A request of `check --live` to the service.

import { z } from 'zod';
import { UserError } from '../../errors.ts';

export interface LiveService {
  readonly url: string;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws UserError when the service does not respond, or refuses the request */
export async function fetchResource<Schema extends z.ZodType>(
  { url, token, signal }: LiveService,
  path: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const address = new URL(`api/v1/${path}`, url.endsWith('/') ? url : `${url}/`);
  let response: Response;
  try {
    response = await fetch(address, { headers, signal });
  } catch (cause) {
    throw new UserError('NOT_READY', `The service at ${url} did not respond.`, { cause, field: 'live' });
  }
  const body: unknown = await response.json().catch(() => undefined);
  const parsed = schema.safeParse(body);
  if (response.ok && parsed.success) return parsed.data;
  throw toError(body, response.status);
}

const Problem = z.object({ error: z.object({ message: z.string(), hint: z.string().optional() }) });

function toError(body: unknown, status: number): Error {
  const problem = Problem.safeParse(body);
  if (!problem.success)
    return new UserError('NOT_READY', `The service responded with ${status}.`, { field: 'live' });
  const { message, hint } = problem.data.error;
  return new UserError('INVALID_PARAMETER', `The service reports: ${message}`, {
    field: 'live',
    ...(hint && { hint }),
  });
}
