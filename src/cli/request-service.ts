// Sends requests to the service that holds a data directory, after it has proven its identity: after a crash
// another program may listen on its port. Does not use `fetch`, which times out after five minutes.

import { Agent, request } from 'node:http';
import { Socket } from 'node:net';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, UpstreamError, UserError } from '../errors.ts';
import { isRunning } from '../process-identity.ts';
import { createNonce, isValidProof, PROOF_PATH } from '../service/api/control-proof.ts';
import type { ControlFile } from '../service/data-directory/control-file.ts';

export interface AnsweredRequest {
  readonly status: 'answered';
  /** Undefined when it is not JSON. */
  readonly body: unknown;
  readonly text: string;
  /** The next page, by the header `Link`; a path as in `ServiceRequest`. */
  readonly nextPath: string | undefined;
}

export type ServiceResponse =
  | AnsweredRequest
  /** The process has ended, or does not listen any more. */
  | { readonly status: 'gone' };

const Problem = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    hint: z.string().optional(),
  }),
});

export interface ServiceRequest {
  /** Below `/api/v1/`, or a whole path that begins with a slash. */
  readonly path: string;
  /** Media type of the response; JSON by default. */
  readonly accept?: string;
  /** Sent as POST; without a body the request is a GET. */
  readonly body?: object;
  readonly token: string | undefined;
}

/** A service proves its identity within milliseconds; the timeout is for other programs. */
const PROOF_TIMEOUT_MS = 10_000;
const MAX_PROOF_BYTES = 4_096;

/**
 * Key, token and body are sent only after the service has proven its identity.
 * @throws UserError or UpstreamError from the service; UpstreamError NOT_READY when another program listens
 */
export async function requestService(
  control: ControlFile,
  serviceRequest: ServiceRequest,
): Promise<ServiceResponse> {
  if (control.process && isRunning(control.process) === false) return { status: 'gone' };
  const agent = new SingleConnectionAgent({ keepAlive: true, maxSockets: 1 });
  try {
    if (!(await isServiceListening(control, agent))) return { status: 'gone' };
    const response = await sendRequest(control, { ...serviceRequest, agent });
    if (response.httpStatus < 400) {
      const { body, text, link } = response;
      return { status: 'answered', body, text, nextPath: findNextPath(link) };
    }
    throw toError(response);
  } finally {
    agent.destroy();
  }
}

const API_PREFIX = '/api/v1/';

function findNextPath(link: string): string | undefined {
  const [, path = ''] = /^<([^>]+)>; rel="next"$/.exec(link) ?? [];
  return path.startsWith(API_PREFIX) ? path.slice(API_PREFIX.length) : undefined;
}

/** Uses only the connection of the proof, because another program could take over the port. */
class SingleConnectionAgent extends Agent {
  #isConnected = false;

  override createConnection(...args: Parameters<Agent['createConnection']>) {
    if (this.#isConnected) return closedSocket();
    this.#isConnected = true;
    return super.createConnection(...args);
  }
}

/** Its request fails like one on a closed connection; an exception would not reach the caller. */
function closedSocket(): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(new Error('The connection was closed.')));
  return socket;
}

/**
 * @returns false when no program listens
 * @throws UpstreamError NOT_READY for another program
 */
async function isServiceListening({ url, key }: ControlFile, agent: Agent): Promise<boolean> {
  const challenge = createNonce();
  const response = await sendHttp(`${url}${PROOF_PATH}?challenge=${challenge}`, {
    agent,
    limits: { ms: PROOF_TIMEOUT_MS, bytes: MAX_PROOF_BYTES },
  }).catch((error: unknown) => {
    if (isRefused(error)) return undefined;
    throw createUnprovenError(url, error);
  });
  if (response === undefined) return false;
  if (!isValidProof(response.body, { key, challenge, port: portOf(url) })) throw createUnprovenError(url);
  return true;
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

function createUnprovenError(url: string, cause?: unknown): UpstreamError {
  return new UpstreamError(
    'NOT_READY',
    `The program at ${url} did not prove that it is the service of this data directory. Expected the key in its control.json. Only a random number was sent to it.`,
    { retryable: true, cause },
  );
}

async function sendRequest(
  { url, key }: ControlFile,
  { path, body, token, accept, agent }: ServiceRequest & { readonly agent: Agent },
): Promise<HttpResponse> {
  const headers = {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    'X-Toolscope-Control': key,
    ...(accept !== undefined && { Accept: accept }),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  try {
    const target = path.startsWith('/') ? path : `${API_PREFIX}${path}`;
    return await sendHttp(`${url}${target}`, { agent, headers, ...(body && { body }) });
  } catch (cause) {
    const message = `The service at ${url} ended the connection.`;
    throw new UpstreamError('NOT_READY', message, { retryable: true, cause });
  }
}

interface HttpResponse {
  readonly httpStatus: number;
  /** Undefined when it is not JSON. */
  readonly body: unknown;
  readonly text: string;
  /** The header `Link`; '' without one. */
  readonly link: string;
}

interface ExchangeOptions {
  readonly agent: Agent;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly limits?: { readonly ms: number; readonly bytes: number };
}

function sendHttp(
  url: string,
  { agent, headers = {}, body, limits }: ExchangeOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' });
    const timer =
      limits && setTimeout(() => outgoing.destroy(new Error('It did not respond in time.')), limits.ms);
    outgoing.once('close', () => clearTimeout(timer));
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (limits && text.length > limits.bytes) outgoing.destroy(new Error('Its response is too long.'));
      });
      response.once('end', () => {
        const { statusCode: httpStatus = 500, headers: given } = response;
        resolve({ httpStatus, body: parseJson(text), text, link: String(given['link'] ?? '') });
      });
      response.once('error', reject);
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function toError({ httpStatus, body }: HttpResponse): Error {
  const problem = Problem.safeParse(body);
  if (!problem.success) {
    const message = `The service responded with ${httpStatus} and an unreadable body.`;
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports that the response could not be read.
    return undefined;
  }
}
