// The HTTP client of the dashboard: validates responses against the contract and throws readable errors.

import type { z } from 'zod';
import { ErrorResponse } from '../../../src/contract/error-response.ts';
import { type Excluded, type FilterValue, toFilterParameters } from '../../../src/contract/filter-value.ts';
import type { ActionRequest } from '../../../src/contract/queries.ts';
import {
  ACTIONS,
  type Action,
  type ActionName,
  type ActionResponse,
  API_PATH,
  type PathParameters,
  RESOURCES,
  type Resource,
  type ResourceName,
  type ResourceQuery,
  type ResourceResponse,
} from '../../../src/contract/resources.ts';

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

/** The query of a resource as text, with one value for each filter, and the parameter of its path. */
export type ResourceParams<N extends ResourceName> = Readonly<
  Partial<Record<Exclude<keyof ResourceQuery<N>, Excluded<string>>, FilterValue | undefined>>
> &
  PathParameters<(typeof RESOURCES)[N]['path']>;

export interface FetchOptions {
  readonly signal?: AbortSignal;
  /** Receives how long the service's store worked for the response, in milliseconds. */
  readonly onCost?: (ms: number) => void;
}

/**
 * Fetches one resource. A response that does not match its schema is an error.
 *
 * @throws UnauthorizedError on 401, ApiError on any other error status
 */
export async function fetchResource<N extends ResourceName>(
  name: N,
  params: ResourceParams<N>,
  { signal, onCost }: FetchOptions = {},
): Promise<ResourceResponse<N>> {
  const { path, response: schema }: Resource = RESOURCES[name];
  const { url, rest } = toUrl(path, params);
  const response = await send(url + toQueryString(rest), signal ? { signal } : {});
  onCost?.(readStoreCostMs(response));
  // The schema of this name has this type.
  return parseResponse(url, schema, await response.json()) as ResourceResponse<N>;
}

/**
 * Runs an action.
 *
 * @returns its response; undefined for an action without one
 * @throws UnauthorizedError on 401, ApiError on any other error status
 */
export async function sendAction<N extends ActionName>(
  name: N,
  request: ActionRequest<N>,
): Promise<ActionResponse<N>> {
  const { method, path, body, response: schema }: Action = ACTIONS[name];
  const { url, rest } = toUrl(path, request);
  const response = await send(url, {
    method: method.toUpperCase(),
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(rest) }),
  });
  // The schema of this name has this type; an action without a schema has no response.
  return (schema && parseResponse(url, schema, await response.json())) as ActionResponse<N>;
}

interface UrlParameters {
  readonly id?: string;
}

/** Puts `id` into the path; the other parameters remain. */
function toUrl<P extends object>(path: string, { id = '', ...rest }: P & UrlParameters) {
  return { url: API_PATH + path.replace(':id', encodeURIComponent(id)), rest };
}

/** The query string with its `?`, or ''. Empty values are kept, because an empty value can be a filter. */
export function toQueryString(query: Readonly<Record<string, FilterValue | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => toFilterParameters(name, value));
  const text = new URLSearchParams(given).toString();
  return text && `?${text}`;
}

function parseResponse(url: string, schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError(
    `The response of ${url} does not fit this page. Reload the page or update the service.`,
    {
      status: 200,
      hint: parsed.error.message.slice(0, 200),
    },
  );
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
    throw new ApiError('The service does not respond. It may be stopped or starting.', { status: 0 });
  });
  if (response.ok) return response;
  if (response.status === 401) throw new UnauthorizedError('This service requires its token.');
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
  return new ApiError(`The service responded with status ${response.status}.`, {
    status: response.status,
    retryAfterSeconds: readRetryAfterSeconds(response),
  });
}

/** 0 if the service or a proxy sends no such header. */
function readStoreCostMs(response: Response): number {
  const cost = /(?:^|,)\s*store;dur=([\d.]+)/.exec(response.headers.get('server-timing') ?? '');
  return Number(cost?.[1] ?? 0);
}

/** The service sends whole seconds; an HTTP date from a proxy is ignored. */
function readRetryAfterSeconds(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
