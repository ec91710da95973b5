// Limits the number of connections. Beyond the limit a new connection is accepted and the one that has
// stalled the longest is closed, so that idle connections cannot block clients. No connection is closed
// before its data was read; connections with a pending response come last: those with unread responses first,
// then the newest.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toAddressKey } from './address-key.ts';

export interface MaxConnections {
  readonly overall: number;
  /** Does not apply to loopback, which all local processes share. */
  readonly perAddress: number;
}

/**
 * `connected`: no request header was received yet. `sending`: the client is sending a body. `answering`: the
 * response is pending. `overrun`: the response was sent, but the body still arrives. `idle`: the response was
 * sent, and no request followed.
 */
type ConnectionState = 'connected' | 'sending' | 'answering' | 'overrun' | 'idle';

/** The connections of one address by state, each with the monotonic time of its last change; oldest first. */
type AddressConnections = Readonly<Record<ConnectionState, Map<Socket, number>>>;

const LOOPBACK = /^(?:127\.|0:0:0:0$)/;
/** After this time, the first bytes of a new connection were read, even if a hundred were opened at once. */
const CHECK_DELAY_MS = 20;
/** A header is usually one packet; a client that needs longer than this is closed before newer ones. */
const STALLED_AFTER_MS = 1_000;
/** Maximum connections above the limit until they are checked. */
const MAX_SURPLUS = 1_000;

/** Keeps the connections of a server within the limits. */
export function limitConnections(server: Server, { overall, perAddress }: MaxConnections): void {
  const addresses = new Map<string, AddressConnections>();
  const keys = new Map<Socket, string>();
  const overLimit = new Set<string>();
  let isCheckScheduled = false;
  /** The first bytes of connections that are older than this were read. */
  let readUntilMs = 0;

  function admit(socket: Socket): void {
    if (keys.size >= overall + MAX_SURPLUS && !closeConnectionOf(findBusiestAddress(addresses))) {
      socket.destroy();
      return;
    }
    const key = toAddressKey(socket.remoteAddress);
    keys.set(socket, key);
    setState(socket, 'connected');
    socket.once('close', () => removeSocket(socket));
    if (!LOOPBACK.test(key) && countConnections(addresses.get(key)) > perAddress) overLimit.add(key);
    if (overLimit.size > 0 || keys.size > overall) scheduleCheck();
  }

  function scheduleCheck(): void {
    if (isCheckScheduled) return;
    isCheckScheduled = true;
    setTimeout(readFirst, CHECK_DELAY_MS).unref();
  }

  /** If the event loop was blocked, pending data is read between the timers and the immediates. */
  function readFirst(): void {
    const startedMs = performance.now();
    setImmediate(() => {
      readUntilMs = startedMs;
      closeSurplus();
    });
  }

  function closeSurplus(): void {
    isCheckScheduled = false;
    for (const key of overLimit) if (closeDownTo(perAddress, key)) overLimit.delete(key);
    while (keys.size > overall && closeConnectionOf(findBusiestAddress(addresses)));
    if (overLimit.size > 0 || keys.size > overall) scheduleCheck();
  }

  /** @returns whether no more than `max` are left */
  function closeDownTo(max: number, key: string): boolean {
    while (countConnections(addresses.get(key)) > max) if (!closeConnectionOf(key)) return false;
    return true;
  }

  function setState(socket: Socket, state: ConnectionState): void {
    const key = keys.get(socket);
    if (key === undefined) return;
    const connections = addresses.get(key) ?? noConnections();
    addresses.set(key, connections);
    // A client that sends has been awaited since it connected.
    const connectedMs = state === 'sending' ? connections.connected.get(socket) : undefined;
    for (const sockets of Object.values(connections)) sockets.delete(socket);
    connections[state].set(socket, connectedMs ?? performance.now());
  }

  function removeSocket(socket: Socket): void {
    const key = keys.get(socket);
    const connections = key === undefined ? undefined : addresses.get(key);
    keys.delete(socket);
    if (key === undefined || connections === undefined) return;
    for (const sockets of Object.values(connections)) sockets.delete(socket);
    if (countConnections(connections) === 0) addresses.delete(key);
  }

  /** @returns false if no connection can be chosen yet */
  function closeConnectionOf(key: string | undefined): boolean {
    const connections = key === undefined ? undefined : addresses.get(key);
    const chosen = connections && chooseSocketToClose(connections, readUntilMs);
    if (chosen === undefined) return false;
    // At once: its close event comes after the next one is chosen.
    removeSocket(chosen);
    chosen.destroy();
    return true;
  }

  server.on('connection', admit);
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req;
    const hasBody =
      req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined;
    setState(socket, hasBody ? 'sending' : 'answering');
    if (hasBody) req.once('end', () => setState(socket, res.writableFinished ? 'idle' : 'answering'));
    res.once('finish', () => setState(socket, hasBody && !req.complete ? 'overrun' : 'idle'));
  });
}

function noConnections(): AddressConnections {
  return {
    connected: new Map(),
    sending: new Map(),
    answering: new Map(),
    overrun: new Map(),
    idle: new Map(),
  };
}

function countConnections(connections: AddressConnections | undefined): number {
  return Object.values(connections ?? {}).reduce((sum, { size }) => sum + size, 0);
}

function findBusiestAddress(addresses: ReadonlyMap<string, AddressConnections>): string | undefined {
  let busiest: string | undefined;
  let max = 0;
  for (const [key, connections] of addresses) {
    const count = countConnections(connections);
    if (count > max) [busiest, max] = [key, count];
  }
  return busiest;
}

/**
 * Chooses the connection that has stalled the longest, then one that was answered, then one with an unfinished
 * body. Of those that sent nothing it is the oldest, because the newest may be about to send a request.
 *
 * @returns undefined if only connections remain whose first bytes were not read yet
 */
function chooseSocketToClose(own: AddressConnections, readUntilMs: number): Socket | undefined {
  const { connected, sending, overrun, idle } = own;
  const chosen = findStalled(connected, sending) ?? firstOf(overrun) ?? findStalled(idle) ?? lastOf(sending);
  if (chosen !== undefined) return chosen;
  const [silent] = connected;
  if (silent !== undefined) return silent[1] < readUntilMs ? silent[0] : undefined;
  return firstOf(idle) ?? chooseReceivingConnection(own);
}

/** Clients that do not read their response come first. */
function chooseReceivingConnection({ answering }: AddressConnections): Socket | undefined {
  const sockets = [...answering.keys()];
  return sockets.find(({ writableLength }) => writableLength > 0) ?? sockets.at(-1);
}

function firstOf(connections: ReadonlyMap<Socket, number>): Socket | undefined {
  const [first] = connections.keys();
  return first;
}

function lastOf(connections: ReadonlyMap<Socket, number>): Socket | undefined {
  return [...connections.keys()].at(-1);
}

/** The connection that has waited for its client the longest, if that is longer than a client needs. */
function findStalled(...lists: readonly ReadonlyMap<Socket, number>[]): Socket | undefined {
  let oldest: readonly [Socket, number] | undefined;
  for (const [first] of lists)
    if (first !== undefined && first[1] < (oldest?.[1] ?? Infinity)) oldest = first;
  return oldest !== undefined && performance.now() - oldest[1] > STALLED_AFTER_MS ? oldest[0] : undefined;
}
