// Limits the number of connections. Beyond the limit a new connection is accepted and the one that has
// stalled the longest is closed, so that idle connections cannot block clients. No connection is closed
// before its data was read; connections with a pending response come last: those with unread responses first,
// then the newest.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toAddressKey } from './address-key.ts';

export interface MaxConnections {
  /** Of all addresses together. */
  readonly overall: number;
  /** Of one address; loopback, where every local process has the same one, is limited by `overall` alone. */
  readonly perAddress: number;
}

/**
 * `connected`: no head has come yet. `sending`: a head came, and its body is on its way. `overrun`: an answer was sent, and the
 * body still comes. `idle`: an answer was sent, and no request came since.
 */
type ConnectionState = 'connected' | 'sending' | 'answering' | 'overrun' | 'idle';

/** The connections of one address by state, each with the monotonic time since when it is in it, in milliseconds; oldest first. */
type AddressConnections = Readonly<Record<ConnectionState, Map<Socket, number>>>;

const LOOPBACK = /^(?:127\.|0:0:0:0$)/;
/** By then what a new connection has sent was read, also where a hundred came at once. */
const CHECK_DELAY_MS = 20;
/** A head is one packet as a rule; whoever takes longer than this for anything is closed before a newcomer is. */
const STALLED_AFTER_MS = 1_000;
/** How many may be too many until then. */
const MAX_SURPLUS = 1_000;

/** Counts the connections of a server from now on and keeps them within the limits. */
export function limitConnections(server: Server, { overall, perAddress }: MaxConnections): void {
  const addresses = new Map<string, AddressConnections>();
  const keys = new Map<Socket, string>();
  const overLimit = new Set<string>();
  let isCheckScheduled = false;
  /** What came to connections that are older than this was read. */
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

  /** Where a turn took longer than that, what was sent meanwhile is read between the timers and the immediates. */
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

  /** @returns whether as few are left */
  function closeDownTo(most: number, key: string): boolean {
    while (countConnections(addresses.get(key)) > most) if (!closeConnectionOf(key)) return false;
    return true;
  }

  function setState(socket: Socket, state: ConnectionState): void {
    const key = keys.get(socket);
    if (key === undefined) return;
    const connections = addresses.get(key) ?? noConnections();
    addresses.set(key, connections);
    // Whoever sends has made us wait since it came.
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

  /** @returns false where it is not known yet which */
  function closeConnectionOf(key: string | undefined): boolean {
    const connections = key === undefined ? undefined : addresses.get(key);
    const chosen = connections && chooseSocketToClose(connections, readUntilMs);
    if (chosen === undefined) return false;
    // At once: its event comes later, and the next is chosen before that.
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
  return connections === undefined ? 0 : Object.values(connections).reduce((sum, { size }) => sum + size, 0);
}

function findBusiestAddress(addresses: ReadonlyMap<string, AddressConnections>): string | undefined {
  let busiest: string | undefined;
  for (const [key, connections] of addresses)
    if (
      countConnections(connections) >
      countConnections(busiest === undefined ? undefined : addresses.get(busiest))
    )
      busiest = key;
  return busiest;
}

/**
 * What owes us something longest goes first, then what was answered, then whose body is not here. Of those that have said nothing
 * it is the oldest: the newest may be about to ask, and one whose bytes nobody has read may have asked.
 * @returns undefined where only what was not read yet could go
 */
function chooseSocketToClose(own: AddressConnections, readUntilMs: number): Socket | undefined {
  const { connected, sending, overrun, idle } = own;
  const chosen = findStalled(connected, sending) ?? firstOf(overrun) ?? findStalled(idle) ?? lastOf(sending);
  if (chosen !== undefined) return chosen;
  const [silent] = connected;
  if (silent !== undefined) return silent[1] < readUntilMs ? silent[0] : undefined;
  return firstOf(idle) ?? chooseReceivingConnection(own);
}

function chooseReceivingConnection({ answering }: AddressConnections): Socket | undefined {
  const asking = [...answering.keys()];
  return asking.find(({ writableLength }) => writableLength > 0) ?? asking.at(-1);
}

function firstOf(connections: ReadonlyMap<Socket, number>): Socket | undefined {
  const [first] = connections.keys();
  return first;
}

function lastOf(connections: ReadonlyMap<Socket, number>): Socket | undefined {
  return [...connections.keys()].at(-1);
}

/** The one that has been waiting for its sender the longest, if that is longer than a sender needs. */
function findStalled(...lists: readonly ReadonlyMap<Socket, number>[]): Socket | undefined {
  let held: readonly [Socket, number] | undefined;
  for (const [first] of lists) if (first !== undefined && first[1] < (held?.[1] ?? Infinity)) held = first;
  return held !== undefined && performance.now() - held[1] > STALLED_AFTER_MS ? held[0] : undefined;
}
