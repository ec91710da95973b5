// A plain HTTP relay that keeps the bodies of the requests and of the answers to POST, in both directions.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function startHttpRecorder(serverPort: number) {
  let sent = '';
  let received = '';
  const relay = createServer((incoming, outgoing) => {
    const isPost = incoming.method === 'POST';
    const onward = request(
      {
        ...{ host: '127.0.0.1', port: serverPort, path: incoming.url, method: incoming.method },
        headers: { ...incoming.headers, host: `127.0.0.1:${serverPort}` },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('data', (bytes: Buffer) => {
          if (isPost) received += bytes.toString();
        });
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.on('data', (bytes: Buffer) => {
      if (isPost) sent += bytes.toString();
    });
    incoming.on('end', () => {
      if (isPost) sent += '\n';
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => relay.listen(0, '127.0.0.1', listening));
  // A TCP server that listens has an address with a port.
  const { port } = relay.address() as AddressInfo;
  return {
    port,
    traffic: () => ({ sent, received }),
    close() {
      relay.closeAllConnections();
      relay.close();
    },
  };
}
