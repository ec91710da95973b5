// Listens for MCP clients and forwards their requests to one server. DNS rebinding: a page in the user's browser may
// resolve its own name to this machine, and the server sees only the name of the proxy's own request. So the name that
// a client asks for is checked here.

import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import { isLoopbackName, readHostName } from '../../../core/values/host-name.ts';
import { forwardRequest } from './forward-request.ts';
import type { HttpTrafficObserver } from './http-traffic-observer.ts';

export interface HttpProxyOptions {
  readonly server: URL;
  /** An IP address, or a name to listen at. */
  readonly host: string;
  /** 0 chooses a free one. */
  readonly port: number;
  /** Names, besides those of this machine and IP addresses, that clients may address. */
  readonly allowedHosts: readonly string[];
  readonly observer: HttpTrafficObserver | undefined;
}

export interface HttpProxy {
  /** Where clients reach the server: that of the proxy with the path of the server. */
  readonly url: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * Idle connections to the server are closed after this time (ms), before servers close theirs: common ones do after 5 s,
 * and a request on a connection that is being closed would fail.
 */
const IDLE_CONNECTION_MS = 2_000;

/** Idle connections of clients are kept longer (ms) than clients keep them. */
const CLIENT_KEEP_ALIVE_MS = 75_000;

/** @throws the error of `listen` (EADDRINUSE, EACCES, ENOTFOUND …) */
export async function startHttpProxy(options: HttpProxyOptions): Promise<HttpProxy> {
  const { server, observer } = options;
  const Agent = server.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS });
  const report = observer?.report.bind(observer);
  let exchanges = 0;
  const listener = createServer((incoming, outgoing) => {
    if (!isAllowed(incoming, options)) return refuseHost(outgoing);
    exchanges += 1;
    const proxy = `http://${incoming.headers.host}`;
    forwardRequest({ incoming, outgoing }, { server, proxy, agent, exchange: exchanges, report });
  });
  // A request may take as long as the server lets it.
  listener.requestTimeout = 0;
  listener.keepAliveTimeout = CLIENT_KEEP_ALIVE_MS;
  await listen(listener, options);
  return {
    url: `${toOrigin(listener)}${server.pathname}${server.search}`,
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      listener.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };
}

function isAllowed(incoming: IncomingMessage, { host, allowedHosts }: HttpProxyOptions): boolean {
  const name = readHostName(incoming);
  return isLoopbackName(name) || isIP(name) !== 0 || [host, ...allowedHosts].includes(name);
}

function refuseHost(outgoing: ServerResponse): void {
  outgoing.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  outgoing.end(
    'toolscope: this proxy does not answer for that host. Expected a loopback name, an IP address, or a name in --allowed-hosts.\n',
  );
}

function listen(listener: Server, { host, port }: HttpProxyOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen({ host, port }, () => {
      listener.off('error', reject);
      resolve();
    });
  });
}

function toOrigin(listener: Server): string {
  // A listener on a port has an address of this form.
  const { address, port } = listener.address() as AddressInfo;
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}
