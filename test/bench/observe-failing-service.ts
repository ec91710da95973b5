// Whether a tool call can tell what the service is doing: observed servers side by side in one process, each with a
// service of its own that answers, is dead, hangs, drips or fails, in turns. Only the ratio to the first means anything.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { observe } from '../../src/index.ts';
import { type Call, callRepeatedly, connect, idle, type Latency, latencyOf } from './observe.ts';

export type ServiceBehaviour = 'healthy' | 'dead' | 'hanging' | 'slow' | 'failing';

const SERVICE_BEHAVIOURS = ['healthy', 'dead', 'hanging', 'slow', 'failing'] as const;

/** In a process of its own, so that what it does is not measured. Each listener is one of them, in order; none is dead. */
const RECEIVERS = `
  const { createServer } = require('node:http');
  const behaviours = {
    healthy: (response) => response.end('{}'),
    hanging: () => {},
    slow: (response) => { response.writeHead(503); setInterval(() => response.write(' '), 200); },
    failing: (response) => { response.writeHead(500); response.end(); },
  };
  Promise.all(Object.entries(behaviours).map(([name, behave]) => new Promise((resolve) => {
    const server = createServer((request, response) => request.on('end', () => behave(response)).resume());
    server.listen(0, '127.0.0.1', () => resolve([name, server.address().port]));
  }))).then((ports) => console.log(JSON.stringify(Object.fromEntries(ports))));`;

/** Measures rounds of 250 calls in turns; results are of 2 kB. Calls are kept in a directory of its own. */
export async function benchObserveFailingService(
  calls: number,
): Promise<readonly (readonly [ServiceBehaviour, Latency])[]> {
  const directory = mkdtempSync(join(tmpdir(), 'toolscope-bench-'));
  process.env['TOOLSCOPE_SPOOL_DIR'] = directory;
  const receivers = spawn(process.execPath, ['-e', RECEIVERS], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const ports: Record<string, number> = JSON.parse(
      await new Promise<string>((resolve) => receivers.stdout.once('data', (line) => resolve(String(line)))),
    );
    const servers: (readonly [ServiceBehaviour, Call, number[]])[] = [];
    for (const trouble of SERVICE_BEHAVIOURS) {
      const endpoint = `http://127.0.0.1:${ports[trouble] ?? 9}`;
      const server = observe(new McpServer({ name: trouble, version: '1' }), { endpoint });
      servers.push([trouble, await connect(server, 2_000), []]);
    }
    for (const [, call] of servers) await callRepeatedly(call, 1_000, []);
    for (let done = 0; done < calls; done += 250) {
      for (const [, call, times] of servers) {
        await callRepeatedly(call, 250, times);
        await idle([]);
      }
    }
    return servers.map(([trouble, , times]) => [trouble, latencyOf(times)]);
  } finally {
    receivers.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}
