// How many connections there may be. Beyond the limit a new one is let in and the one that has made us wait for its sender the
// longest is closed: a connection that is held open on purpose must not keep out one that has something to ask. Connections whose
// answer is being worked out come last: those that leave it unread, then the newest.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toAddressKey } from './api/address-key.ts';

export interface ConnectionCounts {
  /** Of all addresses together. */
  readonly overall: number;
  /** Of one address; loopback, where every local process has the same one, is limited by `overall` alone. */
  readonly perAddress: number;
}

/** `receiving`: a head or a body is being sent to us. `idle`: an answer was sent, and no request came since. */
type ConnectionState = 'receiving' | 'answering' | 'idle';

/** The connections of one address by state, each with the monotonic time since when it is in it, in milliseconds; oldest first. */
type AddressConnections = Readonly<Record<ConnectionState, Map<Socket, number>>>;

const LOOPBACK = /^(?:127\.|0:0:0:0$)/;
/** By then what a new connection has sent was read, also where a hundred came at once. */
const LOOK_AFTER_MS = 20;
/** A head is one packet as a rule; whoever takes longer than this for anything is closed before a newcomer is. */
const HELD_MS = 1_000;
/** How many may be too many until then. */
const MOST_SURPLUS = 1_000;

/** Counts the connections of a server from now on and keeps them within the limits. */
export function limitConnections(server: Server, { overall, perAddress }: ConnectionCounts): void {
  const addresses = new Map<string, AddressConnections>();
  const keys = new Map<Socket, string>();
  const crowded = new Set<string>();
  let isLookDue = false;

  function admit(socket: Socket): void {
    if (keys.size >= overall + MOST_SURPLUS) {
      socket.destroy();
      return;
    }
    const key = toAddressKey(socket.remoteAddress);
    keys.set(socket, key);
    move(socket, 'receiving');
    socket.once('close', () => forget(socket));
    if (!LOOPBACK.test(key) && countOf(addresses.get(key)) > perAddress) crowded.add(key);
    if (crowded.size > 0 || keys.size > overall) lookLater();
  }

  function lookLater(): void {
    if (isLookDue) return;
    isLookDue = true;
    setTimeout(closeSurplus, LOOK_AFTER_MS).unref();
  }

  function closeSurplus(): void {
    isLookDue = false;
    for (const key of crowded) while (countOf(addresses.get(key)) > perAddress) closeOne(key);
    crowded.clear();
    while (keys.size > overall) closeOne(findLargest(addresses));
  }

  function move(socket: Socket, state: ConnectionState): void {
    const key = keys.get(socket);
    if (key === undefined) return;
    const own = addresses.get(key) ?? { receiving: new Map(), answering: new Map(), idle: new Map() };
    addresses.set(key, own);
    for (const sockets of Object.values(own)) sockets.delete(socket);
    own[state].set(socket, performance.now());
  }

  function forget(socket: Socket): void {
    const key = keys.get(socket);
    const own = key === undefined ? undefined : addresses.get(key);
    keys.delete(socket);
    if (key === undefined || own === undefined) return;
    for (const sockets of Object.values(own)) sockets.delete(socket);
    if (countOf(own) === 0) addresses.delete(key);
  }

  function closeOne(key: string | undefined): void {
    const own = key === undefined ? undefined : addresses.get(key);
    const chosen = own && chooseOne(own);
    if (chosen === undefined) return;
    // At once: its event comes later, and the next is chosen before that.
    forget(chosen);
    chosen.destroy();
  }

  server.on('connection', admit);
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req;
    if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined)
      move(socket, 'answering');
    else req.once('end', () => res.writableFinished || move(socket, 'answering'));
    res.once('finish', () => move(socket, 'idle'));
  });
}

function countOf(own: AddressConnections | undefined): number {
  return own === undefined ? 0 : own.receiving.size + own.answering.size + own.idle.size;
}

function findLargest(addresses: ReadonlyMap<string, AddressConnections>): string | undefined {
  let largest: string | undefined;
  for (const [key, own] of addresses)
    if (countOf(own) > countOf(largest === undefined ? undefined : addresses.get(largest))) largest = key;
  return largest;
}

function chooseOne({ receiving, idle, answering }: AddressConnections): Socket | undefined {
  const asking = [...answering.keys()];
  return (
    findHeld(receiving) ??
    findHeld(idle) ??
    [...receiving.keys()].at(-1) ??
    [...idle.keys()][0] ??
    asking.find(({ writableLength }) => writableLength > 0) ??
    asking.at(-1)
  );
}

/** The first, if it has been waiting for its sender for longer than a sender needs. */
function findHeld(connections: ReadonlyMap<Socket, number>): Socket | undefined {
  const [first] = connections;
  return first !== undefined && performance.now() - first[1] > HELD_MS ? first[0] : undefined;
}
