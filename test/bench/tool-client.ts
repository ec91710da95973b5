// What calls a measured server, over whichever transport, and the paces at which calls are made.
import { setTimeout as pause } from 'node:timers/promises';

export interface ToolClient {
  /** The id of the newest request. */
  readonly lastId: number;
  /** Says hello and asks for the tools, as every client does. */
  open(): Promise<void>;
  /** Calls the tool with arguments that were never given before. @returns microseconds until its answer */
  call(): Promise<number>;
}

export interface Pace {
  readonly calls: number;
  readonly inFlight: number;
  /** On average and at most, in groups of `inFlight`; without it, the next call is made as soon as one is answered. */
  readonly perSecond?: number;
}

export interface JsonRpcResponse {
  readonly id: number;
  readonly error?: unknown;
  readonly result?: { readonly isError?: boolean };
}

export interface JsonRpcRequest {
  /** Not on a notification. */
  readonly id?: number;
  readonly method: string;
  readonly params?: object;
}

/**
 * Makes a client of what sends one message.
 * @param send resolves with the response, and for a notification once it is sent
 */
export function createToolClient(
  send: (message: JsonRpcRequest) => Promise<JsonRpcResponse | undefined>,
): ToolClient {
  let lastId = 0;
  async function ask(method: string, params: object): Promise<void> {
    lastId += 1;
    const answer = await send({ id: lastId, method, params });
    if (answer === undefined || answer.error !== undefined || answer.result?.isError)
      throw new Error(`${method} failed: ${JSON.stringify(answer)?.slice(0, 500)}`);
  }
  return {
    get lastId() {
      return lastId;
    },
    async open() {
      const clientInfo = { name: 'bench', version: '1.0.0' };
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      await send({ method: 'notifications/initialized' });
      await ask('tools/list', {});
    },
    async call() {
      const startMs = performance.now();
      await ask('tools/call', { name: 'search_records', arguments: argumentsOf(lastId) });
      return (performance.now() - startMs) * 1_000;
    },
  };
}

/** Makes calls at a pace. @returns how long (µs) each took */
export async function callAtPace(client: ToolClient, pace: Pace): Promise<number[]> {
  return pace.perSecond === undefined
    ? callFlatOut(client, pace)
    : callInGroups(client, pace, pace.perSecond);
}

async function callFlatOut(client: ToolClient, { calls, inFlight }: Pace): Promise<number[]> {
  const times: number[] = [];
  let left = calls;
  async function oneAfterAnother(): Promise<void> {
    while (left > 0) {
      left -= 1;
      times.push(await client.call());
    }
  }
  await Promise.all(Array.from({ length: inFlight }, oneAfterAnother));
  return times;
}

async function callInGroups(
  client: ToolClient,
  { calls, inFlight }: Pace,
  perSecond: number,
): Promise<number[]> {
  const times: number[] = [];
  const startMs = performance.now();
  while (times.length < calls) {
    const earlyMs = startMs + (times.length / perSecond) * 1_000 - performance.now();
    if (earlyMs > 0) await pause(earlyMs);
    times.push(...(await Promise.all(Array.from({ length: inFlight }, () => client.call()))));
  }
  return times;
}

function argumentsOf(n: number): object {
  const digits = n.toString(16).padStart(12, '0');
  return {
    workspace_id: `0d6c3a52-8f5e-4a0e-9b43-${digits}`,
    since: new Date(Date.UTC(2026, 0, 1) + n * 61_000).toISOString(),
    query: `invoices of customer ${n} that nobody has paid`,
    limit: 10 + (n % 50),
    include_archived: n % 3 === 0,
    filter: { status: ['open', 'waiting'], owner: { team: 'billing', id: n % 1_000 } },
  };
}
