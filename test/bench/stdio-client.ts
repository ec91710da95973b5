// The client's end of two pipes, as cheap as it can be: lines of JSON-RPC, whole requests out and whole answers in.
import type { Readable, Writable } from 'node:stream';
import { createToolClient, type JsonRpcResponse, type ToolClient } from './tool-client.ts';

/** Speaks over the pipes of a stdio server. */
export function createStdioClient(input: Writable, output: Readable): ToolClient {
  const waiting = new Map<number, (answer: JsonRpcResponse) => void>();
  readLines(output, (line) => {
    const answer = JSON.parse(line) as JsonRpcResponse;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return createToolClient((message) => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const { id } = message;
    if (id === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => waiting.set(id, resolve));
  });
}

function readLines(output: Readable, hear: (line: string) => void): void {
  let rest: string[] = [];
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = chunk.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      hear(rest.length === 0 ? line : [...rest, line].join(''));
      rest = [];
    }
    if (last !== '') rest.push(last);
  });
}
