// Whoever could let a secret out: MCP servers under `observe()` and `toolscope wrap`, and foreign emitters in JSON and
// protobuf. Each says every text of a table in every place a text can stand.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import protobuf from 'protobufjs/light.js';
import { expect } from 'vitest';
import type { CaptureMode } from '../../src/core/model/tool-call.ts';
import { TRACE_DESCRIPTOR } from '../../src/core/otlp/trace-descriptor.ts';
import type { RunningService } from '../support/service.ts';

const LEAKING = fileURLToPath(new URL('../fixtures/servers/leaking.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** What is said: a text, and a value that goes where values go. */
export interface SensitiveInput {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface SenderOptions {
  readonly service: RunningService;
  readonly capture: CaptureMode;
  /** What the definitions of the servers say. */
  readonly words: readonly string[];
  readonly stateDirectory: string;
}

/** Plays all to a v1 server under `observe()` and to a v2 server under `wrap`. @returns what they wrote to stderr. */
export async function sendFromServers(
  inputs: readonly SensitiveInput[],
  options: SenderOptions,
): Promise<string> {
  const ways = [
    [LEAKING, 'v1', 'observe'],
    [MAIN, 'wrap', '--name', 'wrapped', '--', process.execPath, LEAKING, 'v2'],
  ];
  const heard = await Promise.all(ways.map((args) => sendFromServer(args, inputs, options)));
  return heard.join('');
}

async function sendFromServer(
  args: string[],
  said: readonly SensitiveInput[],
  { service, capture, words, stateDirectory }: SenderOptions,
): Promise<string> {
  const env = {
    ...getDefaultEnvironment(),
    TOOLSCOPE_ENDPOINT: service.base,
    TOOLSCOPE_CAPTURE: capture,
    TOOLSCOPE_LOG: 'debug',
    XDG_STATE_HOME: stateDirectory,
    WORDS: JSON.stringify(words),
  };
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  const client = new Client({ name: said[0]?.text ?? 'speaker', version: said[1]?.text ?? '1' });
  await client.connect(transport);
  await client.listTools();
  for (const one of said) await callTools(client, one);
  await client.close();
  return stderr;
}

async function callTools(client: Client, { text, value }: SensitiveInput): Promise<void> {
  const silent = () => undefined;
  const given = { note: text, list: [text, value], map: { ...value, [text]: text } };
  const _meta = {
    sessionId: text,
    planId: text,
    'io.modelcontextprotocol/clientInfo': { name: text, version: text },
  };
  await Promise.all([
    ...['echoes', 'refuses', 'throws'].map((name) =>
      client.callTool({ name, arguments: given }).catch(silent),
    ),
    client.callTool({ name: text, arguments: { [text]: text }, _meta }).catch(silent),
    client.callTool({ name: 'echoes', arguments: { note: 1, [text]: [text] } }).catch(silent),
    client.readResource({ uri: `mem://host/${encodeURIComponent(text)}` }).catch(silent),
    client.getPrompt({ name: text, arguments: { note: text } }).catch(silent),
  ]);
}

type AnyValue = { stringValue: string } | { kvlistValue: { values: KeyValue[] } };
interface KeyValue {
  key: string;
  value: AnyValue;
}

const attribute = (key: string, text: string): KeyValue => ({ key, value: { stringValue: text } });

/** Sends all as spans of the conventions' dialect and of ours, in JSON and again in protobuf. */
export async function sendFromEmitters(
  inputs: readonly SensitiveInput[],
  service: RunningService,
): Promise<void> {
  for (const encoding of ['json', 'protobuf'] as const) {
    const document = {
      resourceSpans: [
        toResource(inputs, 'some.library', toForeignSpan),
        toResource(inputs, 'toolscope', toOwnSpan),
      ],
    };
    const response =
      encoding === 'json'
        ? await service.post(
            JSON.stringify(document, (_, value) =>
              value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
            ),
          )
        : await service.post(REQUEST.encode(REQUEST.fromObject(document)).finish(), {
            'content-type': 'application/x-protobuf',
          });
    expect(response.status).toBe(200);
  }
}

const REQUEST = protobuf.Root.fromJSON(TRACE_DESCRIPTOR).lookupType('ExportTraceServiceRequest');

function toResource(said: readonly SensitiveInput[], scope: string, toSpan: (one: SensitiveInput) => object) {
  const text = said.map((one) => one.text);
  return {
    resource: {
      attributes: [
        attribute('service.name', `foreign ${text[2]}`),
        attribute('service.version', text[3] ?? ''),
        attribute('deployment.environment.name', text[4] ?? ''),
        attribute('process.command_line', text.join(' ')),
        attribute('host.name', text[5] ?? ''),
      ],
    },
    scopeSpans: [{ scope: { name: scope }, spans: said.map(toSpan) }],
  };
}

function baseSpan(name: string, attributes: KeyValue[]) {
  const nowNano = String(BigInt(Date.now()) * 1_000_000n);
  return {
    traceId: new Uint8Array(randomBytes(16)),
    spanId: new Uint8Array(randomBytes(8)),
    parentSpanId: new Uint8Array(randomBytes(8)),
    name,
    kind: 2,
    startTimeUnixNano: nowNano,
    endTimeUnixNano: nowNano,
    attributes,
  };
}

function toForeignSpan({ text, value }: SensitiveInput): object {
  const content = [{ type: 'text', text }];
  return {
    ...baseSpan(`tools/call ${text}`, [
      attribute('mcp.method.name', 'tools/call'),
      attribute('error.type', 'tool_error'),
      attribute('gen_ai.tool.call.arguments', JSON.stringify({ note: text, [text]: 1, ...value })),
      attribute(
        'gen_ai.tool.call.result',
        JSON.stringify({ isError: true, content, structuredContent: value }),
      ),
      attribute('mcp.session.id', text),
      attribute('toolscope.plan.id', text),
      attribute('jsonrpc.request.id', text),
      attribute('mcp.client.name', text),
      attribute('mcp.resource.uri', `mem://${text}`),
      attribute('enduser.id', text),
      attribute('user.email', text),
      attribute('telemetry.sdk.version', text),
      attribute('some.vendor.note', text),
      attribute('http.request.header.x-note', `${'x '.repeat(500)}${text}`),
      attribute(text, text),
      {
        key: 'some.vendor.map',
        value: { kvlistValue: { values: [attribute('note', text), ...keyedOf(value)] } },
      },
    ]),
    status: { code: 2, message: text },
    links: [
      {
        traceId: new Uint8Array(randomBytes(16)),
        spanId: new Uint8Array(randomBytes(8)),
        attributes: [attribute('note', text)],
      },
    ],
    events: [
      {
        name: 'exception',
        timeUnixNano: '1',
        attributes: [
          attribute('exception.type', text),
          attribute('exception.message', text),
          attribute('exception.stacktrace', `Error: ${text}\n at ${text}`),
        ],
      },
      { name: text, timeUnixNano: '1', attributes: [attribute('note', text)] },
    ],
  };
}

function keyedOf(value: Readonly<Record<string, unknown>>): KeyValue[] {
  return Object.entries(value).map(([key, item]) =>
    attribute(key, typeof item === 'string' ? item : JSON.stringify(item)),
  );
}

/** What somebody could send who says that he is our wrapper and forgot to reduce. */
function toOwnSpan({ text, value }: SensitiveInput): object {
  return {
    ...baseSpan('tools/call x', [
      attribute('mcp.method.name', 'tools/call'),
      attribute('gen_ai.tool.name', text),
      attribute('toolscope.outcome', 'tool_error'),
      attribute('toolscope.error.code', text),
      attribute('toolscope.error.message', text),
      attribute('toolscope.error.argument', text),
      attribute('toolscope.error.exception_type', text),
      attribute('toolscope.session.id', text),
      attribute('toolscope.session.source', 'host'),
      attribute('toolscope.plan.id', text),
      attribute('toolscope.principal', text),
      attribute('toolscope.target', text),
      attribute('toolscope.arguments.shape', text),
      attribute('toolscope.arguments.fingerprints', JSON.stringify({ [text]: '0123456789abcdef' })),
      attribute('gen_ai.tool.call.arguments', JSON.stringify({ note: text, ...value })),
      attribute('gen_ai.tool.call.result', text),
      attribute('some.vendor.note', text),
    ]),
    status: { code: 2, message: text },
  };
}
