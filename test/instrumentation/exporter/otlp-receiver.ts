// A real HTTP receiver with a behaviour set per request.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { OWN_ADDRESS } from '../../support/own-address.ts';

export type ResponseBehaviour = (response: ServerResponse, request: IncomingMessage) => void;

export interface OtlpReceiver {
  readonly url: string;
  /** Bodies as they came, whole ones only. */
  readonly bodies: Uint8Array[];
  readonly headers: IncomingMessage['headers'][];
  /** Connections made since the start. */
  readonly connections: () => number;
  /** From now on it does this. */
  behave(behaviour: ResponseBehaviour): void;
  /** Lets go of what came so far, and of whatever is still on its way over a connection made by now. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

export const respond =
  (status: number, body = '{}', headers: Record<string, string> = {}): ResponseBehaviour =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

export const hang: ResponseBehaviour = () => {};

/** Headers at once, then a byte now and then, for ever. */
export const drip: ResponseBehaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

export const reset: ResponseBehaviour = (_response, request) => void request.socket.destroy();

/** Starts a receiver on a free port; behaviours are used in order, the last one from then on. */
export function startOtlpReceiver(...behaviours: ResponseBehaviour[]): Promise<OtlpReceiver> {
  return startOtlpReceiverAt(0, ...behaviours);
}

/** The same on a port that was in use before. */
export async function startOtlpReceiverAt(
  requestedPort: number,
  ...behaviours: ResponseBehaviour[]
): Promise<OtlpReceiver> {
  const bodies: Uint8Array[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks));
      headers.push(request.headers);
      const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0];
      (behaviour ?? respond(200))(response, request);
    });
  });
  // A pause of a busy machine is no reason to end a connection.
  server.keepAliveTimeout = 120_000;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(requestedPort, OWN_ADDRESS, resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    url: `http://${OWN_ADDRESS}:${port}/v1/traces`,
    bodies,
    headers,
    connections: () => connections,
    behave: (behaviour) => void behaviours.splice(0, behaviours.length, behaviour),
    async forget() {
      await waitForAccepted(port, sockets);
      for (const socket of sockets) socket.destroy();
      bodies.length = 0;
      headers.length = 0;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Connections are accepted in the order they were made: when one of ours is, all before it are known. */
export async function waitForAccepted(port: number, accepted: ReadonlySet<Socket>): Promise<void> {
  const probe = connect(port, OWN_ADDRESS);
  await once(probe, 'connect');
  const isOurs = ({ remotePort }: Socket) => remotePort === probe.localPort;
  while (![...accepted].some(isOurs)) await new Promise(setImmediate);
  probe.destroy();
}
