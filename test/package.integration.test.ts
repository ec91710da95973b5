// The package as it is published, in empty folders: each way to load it sends a call over https. Nothing comes from a
// registry: the wrapper needs no package, and the folders have the MCP SDK and the OpenTelemetry API of this one.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { decodeTracesJson } from '../src/core/otlp/decode-json.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..');
const MODULES = join(ROOT, 'node_modules');
/** For one program; they take a second or two. */
const TIMEOUT_MS = 60_000;

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
});

let folder: string;
let receiver: Server;
let endpoint: string;
const receivedNames: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolscope-package-'));
  const packed = join(folder, 'packed');
  mkdirSync(packed);
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed], { cwd: ROOT });
  await run('sh', ['-c', `tar -xzf ${packed}/*.tgz -C ${packed}`]);
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')],
  ]);
  receiver = createServer(
    { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'certificate.pem')) },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const decoded = decodeTracesJson(Buffer.concat(chunks).toString());
        if (decoded.status === 'decoded') receivedNames.push(...decoded.spans.map(({ name }) => name));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    },
  );
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  // A TCP server that listens has an address with a port.
  endpoint = `https://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
}, 120_000);

afterAll(() => {
  receiver?.closeAllConnections();
  receiver?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** A folder with the package in it and, beside it, what a host has. */
function makeFolder(name: string, manifest: object): string {
  const own = join(folder, name);
  mkdirSync(join(own, 'node_modules'), { recursive: true });
  // A copy: what is linked is looked for beside the place that the link leads to.
  cpSync(join(folder, 'packed', 'package'), join(own, 'node_modules', 'toolscope'), { recursive: true });
  symlinkSync(join(MODULES, '@modelcontextprotocol'), join(own, 'node_modules', '@modelcontextprotocol'));
  symlinkSync(join(MODULES, '@opentelemetry'), join(own, 'node_modules', '@opentelemetry'));
  writeFileSync(join(own, 'package.json'), JSON.stringify(manifest));
  return own;
}

/** One call of one tool; then it says whether the host's API was found. */
const PROGRAM = `
async function main() {
  const server = observe(new McpServer({ name: 'packaged', version: '1.0.0' }));
  server.registerTool(process.env.TOOL, {}, async () => ({ content: [] }));
  const client = new Client({ name: 'client', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  await client.callTool({ name: process.env.TOOL });
  await client.close();
  await flush();
}
main().catch((error) => { console.error(error); process.exit(1); });
`;
const SDK = '@modelcontextprotocol/sdk';
const IMPORTS = `
import { flush, observe } from 'toolscope';
import { McpServer } from '${SDK}/server/mcp.js';
import { Client } from '${SDK}/client/index.js';
import { InMemoryTransport } from '${SDK}/inMemory.js';
`;
const REQUIRES = `
const { flush, observe } = require('toolscope');
const { McpServer } = require('${SDK}/server/mcp.js');
const { Client } = require('${SDK}/client/index.js');
const { InMemoryTransport } = require('${SDK}/inMemory.js');
`;

async function runProgram(own: string, { node, tool }: { node: string[]; tool: string }): Promise<string> {
  const { stderr } = await run(process.execPath, node, {
    cwd: own,
    timeout: TIMEOUT_MS,
    env: {
      ...{ PATH: process.env['PATH'], HOME: own, TOOL: tool, TOOLSCOPE_ENDPOINT: endpoint },
      NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem'),
    },
  });
  return stderr;
}

const bundle = (own: string, format: 'cjs' | 'esm', file: string) =>
  run(
    join(MODULES, '.bin', 'esbuild'),
    [
      ...['main.mjs', '--bundle', '--platform=node', `--format=${format}`, `--outfile=${file}`],
      '--log-level=error',
      // What is CommonJS in the SDK's dependencies asks for it.
      ...(format === 'esm'
        ? [
            `--banner:js=import { createRequire as r } from 'node:module'; const require = r(import.meta.url);`,
          ]
        : []),
    ],
    { cwd: own },
  );

// Requirement: outside.package
describe('package installed in an empty folder', () => {
  test.each<[string, object, (own: string) => Promise<string[]>]>([
    ['imported by an ES module', { type: 'module' }, async (own) => [write(own, 'main.js', IMPORTS)]],
    ['required by CommonJS', {}, async (own) => [write(own, 'main.js', REQUIRES)]],
    [
      'imported under tsx in a CommonJS project',
      {},
      async (own) => [join(MODULES, 'tsx', 'dist', 'cli.mjs'), write(own, 'main.ts', IMPORTS)],
    ],
    [
      'bundled as CommonJS',
      {},
      async (own) => {
        write(own, 'main.mjs', IMPORTS);
        await bundle(own, 'cjs', 'bundle.cjs');
        return alone(own, 'bundle.cjs');
      },
    ],
    [
      'bundled as an ES module',
      {},
      async (own) => {
        write(own, 'main.mjs', IMPORTS);
        await bundle(own, 'esm', 'bundle.mjs');
        return alone(own, 'bundle.mjs');
      },
    ],
  ])('the installed package sends a call over https: %s', async (name, manifest, prepare) => {
    const tool = name.replaceAll(' ', '_');
    const own = makeFolder(tool, manifest);
    const node = await prepare(own);
    expect(await runProgram(own, { node, tool })).toBe('');
    expect(receivedNames.filter((one) => one === `tools/call ${tool}`)).toHaveLength(1);
  });

  function write(own: string, file: string, head: string): string {
    writeFileSync(join(own, file), head + PROGRAM);
    return join(own, file);
  }

  /** A bundle stands alone: there is nothing beside it to load. */
  function alone(own: string, file: string): string[] {
    rmSync(join(own, 'node_modules'), { recursive: true });
    return [join(own, file)];
  }
});

test('a bundle without node_modules finds the OpenTelemetry API inside it, so the host keeps its own span', async () => {
  for (const format of ['cjs', 'esm'] as const) {
    const own = makeFolder(`traced-${format}`, {});
    const provider = `
      import { trace } from '@opentelemetry/api';
      const names = [];
      let spans = 0;
      const span = (name, context = { traceId: '1'.repeat(32), spanId: String(++spans).padStart(16, '0'), traceFlags: 1 }) => ({
        spanContext: () => context,
        setAttribute() { return this; }, setAttributes() { return this; }, addEvent() { return this; },
        addLink() { return this; }, addLinks() { return this; }, setStatus() { return this; },
        updateName() { return this; }, end() { names.push(name); }, isRecording: () => true,
        recordException() {},
      });
      trace.setGlobalTracerProvider({ getTracer: () => ({
        startSpan: (name) => span(name), startActiveSpan: (name, ...rest) => rest.at(-1)(span(name)) }) });
      process.on('exit', () => console.error(names.join()));
    `;
    writeFileSync(join(own, 'main.mjs'), IMPORTS + provider + PROGRAM);
    const file = format === 'cjs' ? 'bundle.cjs' : 'bundle.mjs';
    await bundle(own, format, file);
    rmSync(join(own, 'node_modules'), { recursive: true });
    const said = await runProgram(own, { node: [join(own, file)], tool: 'traced' });
    expect(said, format).toContain('tools/call traced');
  }
});

describe('package.json', () => {
  const manifest = () => Manifest.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

  test('no peer range can conflict with another package', () => {
    const { peerDependencies, peerDependenciesMeta } = manifest();
    for (const [name, range] of Object.entries(peerDependencies)) {
      expect([name, range]).toEqual([name, '*']);
      expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    }
  });

  test('the manifest names neither the engine, whose peers conflict, nor a version of OpenTelemetry', () => {
    const { dependencies, peerDependencies } = manifest();
    expect(Object.keys(peerDependencies)).not.toContain('chdb');
    const own = Object.keys(dependencies);
    expect(own.filter((name) => name === 'chdb' || name.startsWith('@opentelemetry/'))).toEqual([]);
  });
});
