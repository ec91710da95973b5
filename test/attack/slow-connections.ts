// Connections that promise a body and send a byte of it now and then, so that each takes a place for as long as it may.
import { connect, type Socket } from 'node:net';

export interface SlowConnections {
  /** How many are still open. */
  readonly open: number;
  close(): void;
}

/** Between two bytes of one connection. */
const DRIP_MS = 1_000;

/** So that others in this process have their turn in between. */
const CONNECTIONS_PER_TURN = 100;

/** Opens so many of them, all with the same request line, and goes on sending. */
export function openSlowConnections(base: string, count: number, requestLine: string): SlowConnections {
  const { hostname, port } = new URL(base);
  const sockets: Socket[] = [];
  let opening: NodeJS.Immediate | undefined;
  const open = (): void => {
    for (let n = 0; n < CONNECTIONS_PER_TURN && sockets.length < count; n += 1)
      sockets.push(sendSlowRequest(connect(Number(port), hostname), requestLine));
    opening = sockets.length < count ? setImmediate(open) : undefined;
  };
  open();
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(' ');
  }, DRIP_MS);
  return {
    get open() {
      return sockets.filter(({ destroyed }) => !destroyed).length;
    },
    close() {
      clearImmediate(opening);
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}

function sendSlowRequest(socket: Socket, requestLine: string): Socket {
  // Being cut off is what is measured.
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(`${requestLine} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`);
  socket.write('Content-Length: 4000\r\n\r\n{');
  return socket;
}
