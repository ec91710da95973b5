// The HTTP client of the dashboard: validates responses against the contract and throws readable errors.
import { ErrorResponse } from '../../../src/contract/responses.ts';

/** The service requires a token that this browser has not sent. */
export class UnauthorizedError extends Error {}

interface ApiErrorOptions {
  readonly status: number;
  readonly hint?: string | undefined;
  readonly retryAfterSeconds?: number;
}

/** The service rejected the request or failed. The message is fit to show to the user. */
export class ApiError extends Error {
  readonly status: number;
  readonly hint: string | undefined;
  /** The delay that `Retry-After` requests; 0 when there is none. */
  readonly retryAfterSeconds: number;

  constructor(message: string, { status, hint, retryAfterSeconds = 0 }: ApiErrorOptions) {
    super(message);
    this.status = status;
    this.hint = hint;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether a retry may succeed: no connection, or a service or storage engine that is starting. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** The part of a zod schema needed to parse a response. */
export interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { message: string } };
}

export interface FetchOptions {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * Fetches one resource.
 *
 * @param schema of `src/contract`; a response that does not match it is an error
 * @throws UnauthorizedError on 401, ApiError on any other error status
 */
export async function fetchJson<T>(
  path: string,
  schema: Schema<T>,
  { query = {}, signal }: FetchOptions = {},
): Promise<T> {
  const response = await send(`/api/v1/${path}${toQueryString(query)}`, signal ? { signal } : {});
  return parseResponse(path, { schema, value: await response.json() });
}

/** The query string with its `?`, or ''. Empty values are kept, because an empty value can be a filter. */
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
  /** Schema of the response; omit it when there is no body. */
  readonly schema?: Schema<T>;
}

/**
 * Sends a request that changes a resource.
 *
 * @returns the response, or undefined without a schema
 * @throws UnauthorizedError on 401, ApiError on any other error status
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

/** Sends the token; the service responds with an HttpOnly cookie. */
export async function login(token: string): Promise<void> {
  await send('/api/v1/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
}

export async function logout(): Promise<void> {
  await send('/api/v1/logout', { method: 'POST' });
}

/** @throws UnauthorizedError on 401, ApiError on any other error status */
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

/** The service sends whole seconds; an HTTP date from a proxy is ignored. */
function readRetryAfterSeconds(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
