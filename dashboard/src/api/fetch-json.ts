// One way to the service: ask, check the answer against the contract, or fail with a reason a person can read.
import { ErrorResponse } from '../../../src/contract/responses.ts';

/** The service wants a token that this browser has not given. */
export class UnauthorizedError extends Error {}

interface ApiErrorOptions {
  readonly status: number;
  readonly hint?: string | undefined;
  readonly retryAfterSeconds?: number;
}

/** The service refused or failed; the message is fit to show. */
export class ApiError extends Error {
  readonly status: number;
  readonly hint: string | undefined;
  /** How long the service asks to be left alone; 0 where it does not say. */
  readonly retryAfterSeconds: number;

  constructor(message: string, { status, hint, retryAfterSeconds = 0 }: ApiErrorOptions) {
    super(message);
    this.status = status;
    this.hint = hint;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether asking again may help: no connection, a service that is starting, an engine that is coming back. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** The part of a zod schema that reading an answer needs. */
export interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { message: string } };
}

export interface FetchOptions {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * Asks one resource.
 *
 * @param schema of `src/contract`; an answer that does not fit it is an error, not a guess
 * @throws UnauthorizedError on 401, ApiError for everything else
 */
export async function fetchJson<T>(
  path: string,
  schema: Schema<T>,
  { query = {}, signal }: FetchOptions = {},
): Promise<T> {
  const response = await send(`/api/v1/${path}${toQueryString(query)}`, signal ? { signal } : {});
  return parseResponse(path, { schema, value: await response.json() });
}

/** With its question mark; nothing where there is nothing to say. An empty value is said: it may be a filter. */
export function toQueryString(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const text = new URLSearchParams(given).toString();
  return text && `?${text}`;
}

function parseResponse<T>(path: string, { schema, value }: { schema: Schema<T>; value: unknown }): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError(
    `The answer of /api/v1/${path} does not fit this page. Reload it, or update the service.`,
    {
      status: 200,
      hint: parsed.error.message.slice(0, 200),
    },
  );
}

interface Mutation<T> {
  readonly method: 'POST' | 'DELETE';
  readonly body?: unknown;
  /** Of the answer; leave it out where there is none. */
  readonly schema?: Schema<T>;
}

/**
 * Changes something at one resource.
 *
 * @returns the answer, or undefined without a schema
 * @throws UnauthorizedError on 401, ApiError for everything else
 */
export async function mutate<T>(
  path: string,
  mutation: Mutation<T> & { readonly schema: Schema<T> },
): Promise<T>;
export async function mutate(path: string, mutation: Omit<Mutation<unknown>, 'schema'>): Promise<undefined>;
export async function mutate<T>(path: string, { method, body, schema }: Mutation<T>): Promise<T | undefined> {
  const response = await send(`/api/v1/${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return schema && parseResponse(path, { schema, value: await response.json() });
}

/** Hands the token over; the service answers with a cookie that only it can read. */
export async function login(token: string): Promise<void> {
  await send('/api/v1/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
}

/** Makes the service forget this browser. */
export async function logout(): Promise<void> {
  await send('/api/v1/logout', { method: 'POST' });
}

/** The request itself. @throws UnauthorizedError on 401, ApiError for everything else */
export async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, credentials: 'same-origin' }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError('The service does not answer. It may be stopped or starting.', { status: 0 });
  });
  if (response.ok) return response;
  if (response.status === 401) throw new UnauthorizedError('This service wants its token.');
  throw await toApiError(response);
}

async function toApiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const problem = ErrorResponse.safeParse(body);
  if (problem.success) {
    const { message, hint } = problem.data.error;
    return new ApiError(message, {
      status: response.status,
      hint,
      retryAfterSeconds: readRetryAfterSeconds(response),
    });
  }
  return new ApiError(`The service answered with status ${response.status}.`, {
    status: response.status,
    retryAfterSeconds: readRetryAfterSeconds(response),
  });
}

/** Ours are whole seconds; a proxy's date counts as nothing said. */
function readRetryAfterSeconds(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
