// A real HTTP receiver of webhooks on a free port. It keeps what it was sent and answers as the test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WebhookBody } from '../../../src/service/alerts/receivers/webhook.ts';

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly key: string;
  readonly body: WebhookBody;
}

export interface WebhookReceiver {
  readonly url: string;
  /** `host:port`, as `allowPrivateTargets` has it. */
  readonly target: string;
  readonly received: ReceivedWebhook[];
}

/** @param answer what to do with the n-th request, counted from 0; by default it is answered 200 */
export async function startWebhookReceiver(
  answer: (res: ServerResponse, at: number) => void = (res) => void res.end(),
  port = 0,
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as WebhookBody;
    const key = String(req.headers['idempotency-key']);
    answer(res, received.push({ path: req.url ?? '', headers: req.headers, key, body }) - 1);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  // A TCP server's address is an object.
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${target}`, target, received };
}
