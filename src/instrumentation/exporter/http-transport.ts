// One POST at a time over node:http(s). Sockets and timers are unref'd, so a receiver that hangs never keeps the host's
// process alive. Not fetch: its sockets cannot be unref'd, and loading undici costs a host 10 ms.

import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { parseReceiverResponse } from './parse-response.ts';
import type { ExporterTransport, SendResult } from './send-result.ts';

/** Of an answer only `partialSuccess` matters; more than this is not read. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** A connection that is not made by then (ms) is tried again later; the first packet is repeated after a second anyway. */
const CONNECT_TIMEOUT_MS = 1_000;

export interface HttpTransportOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For one attempt, from connect to the answer's last byte. */
  readonly timeoutMs?: number;
  /** Runs the request where the host's own HTTP instrumentation does not see it. */
  readonly runUntraced?: <T>(run: () => T) => T;
}

/** Creates a transport that owns a keep-alive agent with one socket. */
export function createHttpTransport(options: HttpTransportOptions): ExporterTransport {
  const { Agent: AgentOfScheme, request } = loadHttpModule(options.url);
  const agent = new AgentOfScheme({ keepAlive: true, maxSockets: 1 });
  const runUntraced = options.runUntraced ?? ((run) => run());
  const post = (body: Uint8Array) => runUntraced(() => postOnce(body, { ...options, agent, request }));
  return {
    async send(body) {
      const first = await post(body);
      // A kept-alive socket that the receiver closed in the same moment says nothing about the receiver.
      return first === STALE_SOCKET ? toResult(await post(body)) : toResult(first);
    },
    close() {
      agent.destroy();
    },
  };
}

/** TLS costs 1 MB of memory and 2 ms, and most endpoints are on the same machine: it is loaded only for an https URL. */
function loadHttpModule(url: string): Pick<typeof import('node:http'), 'Agent' | 'request'> {
  if (!url.startsWith('https:')) return { Agent, request: httpRequest };
  // Not `require`: what bundles this for CommonJS leaves no address to resolve from.
  return process.getBuiltinModule('node:https');
}

const STALE_SOCKET = Symbol('stale socket');

function toResult(result: SendResult | typeof STALE_SOCKET): SendResult {
  return result === STALE_SOCKET ? { status: 'retryable', reason: 'the connection was reset' } : result;
}

interface PostOptions extends HttpTransportOptions {
  readonly agent: Agent;
  readonly request: typeof httpRequest;
}

function postOnce(body: Uint8Array, post: PostOptions): Promise<SendResult | typeof STALE_SOCKET> {
  return new Promise((resolve) => {
    const headers = {
      'user-agent': 'toolscope',
      ...post.headers,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    let outgoing: ClientRequest;
    try {
      outgoing = post.request(post.url, { method: 'POST', agent: post.agent, headers });
    } catch (error) {
      resolve({ status: 'refused', reason: reasonOf(error) });
      return;
    }
    const timer = setTimeout(
      () => outgoing.destroy(new Error('no answer in time')),
      post.timeoutMs ?? 10_000,
    );
    timer.unref();
    const finish = (result: SendResult | typeof STALE_SOCKET) => {
      clearTimeout(timer);
      clearTimeout(connectTimer);
      resolve(result);
    };
    // An unref'd socket that is still connecting holds the process all the same, and Node does not say whether anything
    // else does: so nobody waits for long.
    const connectTimer = setTimeout(
      () => outgoing.destroy(new Error('no connection in time')),
      CONNECT_TIMEOUT_MS,
    );
    connectTimer.unref();
    let isAnswered = false;
    // The agent refs a socket each time it hands it out.
    outgoing.on('socket', (socket) => {
      socket.unref();
      if (socket.connecting) socket.once('connect', () => clearTimeout(connectTimer));
      else clearTimeout(connectTimer);
    });
    outgoing.on('response', (response) => {
      isAnswered = true;
      readBody(response, (text) => finish(parseIncomingMessage(response, text)));
    });
    outgoing.on('error', (error) => {
      // Once there is a status it counts, however the rest of the answer goes.
      if (!isAnswered) finish(isStale(outgoing, error) ? STALE_SOCKET : toNetworkFailure(error));
    });
    outgoing.end(body);
  });
}

/** Calls back once with what was read, whether the answer ended, was cut off or went on for too long. */
function readBody(response: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAX_RESPONSE_BYTES) chunks.push(chunk);
    else response.destroy();
  });
  response.on('error', () => {}); // 'close' follows and answers.
  response.on('close', () => done(Buffer.concat(chunks).toString()));
}

function parseIncomingMessage(response: IncomingMessage, body: string): SendResult {
  return parseReceiverResponse({
    statusCode: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body,
    nowMs: Date.now(),
  });
}

function isStale(request: ClientRequest, error: Error): boolean {
  const code = codeOf(error);
  return request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

function toNetworkFailure(error: Error): SendResult {
  return { status: 'retryable', reason: reasonOf(error) };
}

function reasonOf(error: unknown): string {
  return codeOf(error) || (error instanceof Error ? error.message : 'unknown');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
