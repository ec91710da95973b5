// Spans of real hosts, traced by OpenTelemetry's SDK with its HTTP instrumentation, under the right calls: both SDKs of MCP,
// over pipes and HTTP. Calls and spans leave the host on two ways and arrive in any order.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallsResponse } from '../../src/contract/calls.ts';
import type { CallSpansResponse, DependenciesResponse } from '../../src/contract/child-spans.ts';
import {
  buildChildren,
  type ChildWire,
  type OpenWire,
  openChild,
  openHttp,
} from '../instrumentation/wrapper/fixtures/wires.ts';
import type { BuiltPrograms } from '../support/built-program.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../support/in-process-service.ts';
import { until } from '../support/service.ts';

const folder = createServiceFolder();
const open: OpenWire[] = [];
let service: InProcessService;
let target: Server;
let host = '';
let programs: BuiltPrograms | undefined;

beforeAll(async () => {
  service = await startInProcessService(folder);
  target = createServer((_, response) => void response.end('ok')).listen(0, '127.0.0.1');
  await new Promise((resolve) => target.once('listening', resolve));
  host = `127.0.0.1:${(target.address() as AddressInfo).port}`;
  programs = await buildChildren('./traced-tool.ts');
  await Promise.all(
    HOSTS.map(async ([sdk, transport]) => callTool(await connect(sdk, transport), clientOf(sdk, transport))),
  );
});

afterAll(async () => {
  for (const wire of open) await wire.close();
  programs?.remove();
  target?.close();
  await service?.close();
  removeServiceFolder(folder);
});

function startHost(sdk: string, transport: string): ChildWire {
  const child = openChild('./traced-tool.ts', [sdk, transport, `http://${host}/stock/7`], {
    TOOLSCOPE_ENDPOINT: service.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: service.url,
    OTEL_SERVICE_NAME: 'shop',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
  open.push(child);
  return child;
}

async function connect(sdk: string, transport: string): Promise<OpenWire> {
  const child = startHost(sdk, transport);
  if (transport === 'stdio') return child;
  const url = await until(async () => /http:\S+/.exec(child.stderr())?.[0]);
  const wire = openHttp(url);
  open.push(wire);
  return wire;
}

async function callTool(wire: OpenWire, client: string): Promise<void> {
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: client, version: '1' },
  };
  wire.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
  await until(async () => wire.inbox.find(({ id }) => id === 1));
  wire.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'order', arguments: {} } });
  await until(async () => wire.inbox.find(({ id }) => id === 2));
}

/** The spans under the call of that client, when all have arrived. */
async function readSpans(client: string): Promise<CallSpansResponse['spans']> {
  return until(async () => {
    const { calls } = await service.ask<CallsResponse>(`calls?tool=order&client=${client}`);
    const [call] = calls;
    if (call === undefined) return undefined;
    const at = encodeURIComponent(call.startedAt);
    const path = `calls/${call.traceId}.${call.spanId}/spans?server=shop&tool=order&at=${at}`;
    const { spans } = await service.ask<CallSpansResponse>(path);
    return spans.length < 2 ? undefined : spans;
  });
}

const HOSTS = [
  ['1.32.2', 'stdio'],
  ['1.32.2', 'http'],
  ['2.4.0', 'stdio'],
  ['2.4.0', 'http'],
] as const;

const clientOf = (sdk: string, transport: string): string => `client-${sdk}-${transport}`;

describe('child spans of real hosts', () => {
  test.each(HOSTS)(
    'the request and the query of a tool are under its call with SDK %s over %s',
    async (sdk, transport) => {
      const spans = await readSpans(clientOf(sdk, transport));
      expect(spans).toMatchObject([
        { name: 'GET', kind: 'http', dependency: host, depth: 0, failed: false },
        { name: 'pg.query:SELECT orders', kind: 'db', dependency: 'postgresql:orders', depth: 0 },
      ]);
      expect(JSON.stringify(spans)).not.toMatch(/stock|secret/);
    },
    60_000,
  );

  test('the dependencies of the tool are those of the calls of all hosts', async () => {
    const { calls, dependencies } = await service.ask<DependenciesResponse>(
      'dependencies?server=shop&tool=order',
    );
    expect(calls).toBe(HOSTS.length);
    expect(new Set(dependencies.map(({ dependency, spans }) => `${dependency} ${spans}`))).toEqual(
      new Set([`${host} ${HOSTS.length}`, `postgresql:orders ${HOSTS.length}`]),
    );
  });
});
