// A client of Streamable HTTP, as cheap as it can be: one POST a message over kept connections, the answer from the stream of events.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { createToolClient, type JsonRpcResponse, type ToolClient } from './tool-client.ts';

/** Speaks to a server on loopback. */
export function createHttpClient(port: number): ToolClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let session: string | undefined;
  return createToolClient(async (message) => {
    const { headers, text } = await post(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const given = headers['mcp-session-id'];
    if (typeof given === 'string') session = given;
    const data = /^data: (.+)$/m.exec(text)?.[1];
    return data === undefined ? undefined : (JSON.parse(data) as JsonRpcResponse);
  });

  function post(
    body: string,
  ): Promise<{ readonly headers: IncomingMessage['headers']; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
        ...(session !== undefined && { 'mcp-session-id': session }),
      };
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent, headers });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        const chunks: string[] = [];
        response.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, text: chunks.join('') }));
      });
      outgoing.end(body);
    });
  }
}
