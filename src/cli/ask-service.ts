// Asks the service that holds a data directory. Not `fetch`: it gives up after five minutes, and a purge may take longer.

import { request } from 'node:http';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, UpstreamError, UserError } from '../errors.ts';
import type { Control } from '../service/control-file.ts';

export type Asked =
  | { readonly status: 'answered'; readonly body: unknown }
  /** Nobody listens there any more. */
  | { readonly status: 'gone' };

const Problem = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    hint: z.string().optional(),
  }),
});

export interface Question {
  readonly path: string;
  /** Posted; without it the path is only read. */
  readonly body?: object;
  readonly token: string | undefined;
}

/**
 * Asks a running service.
 *
 * @throws UserError or UpstreamError, as the service said
 */
export async function askService(control: Control, question: Question): Promise<Asked> {
  const answer = await send(control, question);
  if (answer === undefined) return { status: 'gone' };
  if (answer.httpStatus < 400) return { status: 'answered', body: answer.body };
  throw toError(answer);
}

interface HttpAnswer {
  readonly httpStatus: number;
  readonly body: unknown;
}

function toError({ httpStatus, body }: HttpAnswer): Error {
  const problem = Problem.safeParse(body);
  if (!problem.success) {
    const message = `The service answered ${httpStatus}, and nothing that can be read.`;
    return new UpstreamError('NOT_READY', message, { retryable: true });
  }
  const { code, message, field, hint } = problem.data.error;
  const known = isErrorCode(code) ? code : 'INTERNAL';
  if (httpStatus >= 500) return new UpstreamError(known, message, { retryable: httpStatus === 503 });
  return new UserError(known, message, { ...(field && { field }), ...(hint && { hint }) });
}

function isErrorCode(code: string): code is ErrorCode {
  return code in ERROR_CODES;
}

function send({ url, key }: Control, { path, body, token }: Question): Promise<HttpAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        'X-Toolscope-Control': key,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
    });
    asked.once('error', (error) => {
      if ('code' in error && error.code === 'ECONNREFUSED') resolve(undefined);
      else
        reject(
          new UpstreamError('NOT_READY', `The service at ${url} ended the connection.`, {
            retryable: true,
            cause: error,
          }),
        );
    });
    asked.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve({ httpStatus: response.statusCode ?? 500, body: parseJson(text) }));
      response.once('error', reject);
    });
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller says that it could not be read.
    return undefined;
  }
}
