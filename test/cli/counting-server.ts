// A wrapped server with a guard, as its client meets it: raw lines, and what the server itself counted.
import { type OtlpReceiver, respond } from '../instrumentation/exporter/otlp-receiver.ts';
import { until, type WrapRun } from './run-wrap.ts';
import { endpointOf, type WrapRuns } from './wrap-runs.ts';

/** A server without any SDK: every tool fails in one way, but `count`, which returns how many requests have reached it. */
const SERVER = `
let seen = 0;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, params } = JSON.parse(line);
  seen += 1;
  const text = params.name === 'count' ? String(seen) : 'AMBIGUOUS: two notes match';
  const result = { content: [{ type: 'text', text }], isError: params.name !== 'count' };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;

// biome-ignore lint/suspicious/noExplicitAny: what came back is looked at, whatever it is.
export type Loose = any;

export interface CountingServer {
  readonly receiver: OtlpReceiver;
  readonly run: WrapRun;
  /** Calls a tool; returns the response. */
  readonly call: (name: string, args?: object, ending?: string) => Promise<Loose>;
}

/** Starts the server through `wrap` with these flags. */
export async function wrapCountingServer(
  { wrap, receive }: WrapRuns,
  flags: readonly string[],
): Promise<CountingServer> {
  const receiver = await receive(respond(200));
  const command = ['--name', 'counting', '--', process.execPath, '-e', SERVER];
  const run = wrap([...flags, ...command], endpointOf(receiver));
  let id = 0;
  async function call(name: string, args: object = {}, ending = '\n'): Promise<Loose> {
    id += 1;
    const request = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
    run.child.stdin.write(`${JSON.stringify(request)}${ending}`);
    await until(() => run.stdout().toString().split('\n').length > id, `answer ${id}`);
    return JSON.parse(run.stdout().toString().split('\n')[id - 1] ?? '');
  }
  return { receiver, run, call };
}

/** The code of a refused call; '' of any other response. */
export const codeOf = ({ result }: Loose): string => result.structuredContent?.error.code ?? '';
