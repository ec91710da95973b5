// One table of faults, over SDK v1 and v2, seen from inside (`observe`) and from outside (`wrap`), and sent by a
// foreign emitter (OTLP, official conventions): each gives one outcome, one fault, one code. A thrown error is the only
// row with two: its class never reaches the wire, so only `observe` can know that something was thrown.

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallsResponse } from '../../src/contract/calls.ts';
import { type RunningService, SPOOL_ENVIRONMENT, startService, until } from '../support/service.ts';

const FAULTY = fileURLToPath(new URL('../fixtures/servers/faulty.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

type OutcomeFaultCode = readonly [outcome: string, fault: string, code: string];

interface Row {
  readonly tool: string;
  readonly args?: Record<string, unknown>;
  readonly expected: OutcomeFaultCode;
  /** Where the wire hides what the wrapper knows. */
  readonly onTheWire?: OutcomeFaultCode;
  /** How a foreign emitter that follows the conventions reports it. */
  readonly span?: { readonly attributes: Record<string, string>; readonly message?: string };
  readonly because: string;
}

const toolError = (message: string) => ({ attributes: { 'error.type': 'tool_error' }, message });

const ROWS: readonly Row[] = [
  { tool: 'fine', expected: ['ok', 'none', ''], span: { attributes: {} }, because: 'nothing went wrong' },
  {
    tool: 'says-no',
    expected: ['tool_error', 'server', 'tool_error'],
    span: toolError('It did not work.'),
    because: 'isError without any code falls to the outcome’s name',
  },
  {
    tool: 'says-code',
    expected: ['tool_error', 'server', 'NOTE_LOCKED'],
    because: 'structuredContent.error.code is the first rung below the protocol',
  },
  {
    tool: 'says-404',
    expected: ['tool_error', 'client', 'HTTP_404'],
    because: 'an HTTP 4xx is for the caller to mend',
  },
  {
    tool: 'says-json',
    expected: ['tool_error', 'server', 'RATE_LIMITED'],
    span: toolError('{"error":{"code":"RATE_LIMITED","message":"slow down"}}'),
    because: 'JSON in the text is read',
  },
  {
    tool: 'says-token',
    expected: ['tool_error', 'server', 'ENOENT'],
    span: toolError('ENOENT: no such file or directory'),
    because: 'a leading upper-case token is a code',
  },
  {
    tool: 'throws-error',
    expected: ['exception', 'server', 'exception'],
    onTheWire: ['tool_error', 'server', 'tool_error'],
    because: 'a bare Error has no code; the wire shows its text only',
  },
  {
    tool: 'throws-class',
    expected: ['exception', 'server', 'QUOTA_EXCEEDED'],
    onTheWire: ['tool_error', 'server', 'tool_error'],
    because: 'the code of a thrown error is known where it was thrown',
  },
  {
    tool: 'succeeds-with-error',
    expected: ['ok', 'none', ''],
    because: 'isError was false; the text is only marked',
  },
  {
    tool: 'strict',
    args: { limit: 500 },
    expected: ['invalid_arguments', 'client', '-32602'],
    span: toolError('Input validation error: Invalid arguments for tool strict: limit too big'),
    because: 'the schema refused the arguments',
  },
  {
    tool: 'imagined',
    expected: ['unknown_tool', 'client', '-32602'],
    span: { attributes: { 'rpc.response.status_code': '-32602' }, message: 'Tool imagined not found' },
    because: 'no such tool, whether it came as a result or as an error',
  },
  {
    tool: 'promises',
    expected: ['invalid_output', 'server', '-32602'],
    span: toolError('Output validation error: n is not a number'),
    because: 'the tool broke its own output schema',
  },
  {
    tool: 'garbles',
    expected: ['invalid_output', 'server', '-32602'],
    because: 'a result that is no result is the server’s fault though the code says parameters',
  },
];

interface ClassifiedCall {
  readonly tool: string;
  readonly triple: OutcomeFaultCode;
}

let service: RunningService;

async function callServer(name: string, command: readonly string[]): Promise<void> {
  const client = new Client({ name, version: '1' });
  const [executable = '', ...args] = command;
  const env = {
    ...getDefaultEnvironment(),
    TOOLSCOPE_ENDPOINT: service.base,
    XDG_STATE_HOME: service.stateDirectory,
  };
  await client.connect(new StdioClientTransport({ command: executable, args, env, stderr: 'ignore' }));
  await client.listTools();
  for (const { tool, args: toolArgs = {} } of ROWS) {
    await client
      .request({ method: 'tools/call', params: { name: tool, arguments: toolArgs } }, anyResultSchema)
      .catch(() => undefined);
  }
  await client.request({ method: 'no/such', params: {} }, anyResultSchema).catch(() => undefined);
  await client.callTool({ name: 'never' }, undefined, { timeout: 50 }).catch(() => undefined);
  const abort = new AbortController();
  const cancelled = client.callTool({ name: 'never', arguments: { again: true } }, undefined, {
    signal: abort.signal,
  });
  abort.abort('the person changed their mind');
  await cancelled.catch(() => undefined);
  await client.close();
}

// The raw answer is not what is compared here, so any object will do.
const anyResultSchema = {
  parse: (value: unknown) => value,
  safeParse: (value: unknown) => ({ success: true, data: value }),
} as never;

async function callsOf(server: string, expected: number): Promise<CallsResponse['calls']> {
  return until(async () => {
    const { calls } = await service.ask<CallsResponse>(`calls?server=${server}&limit=200`);
    return calls.length >= expected ? calls : undefined;
  });
}

function classificationOf(call: CallsResponse['calls'][number]): OutcomeFaultCode {
  return [call.outcome, call.fault, call.code];
}

beforeAll(async () => {
  service = await startService({ environment: SPOOL_ENVIRONMENT });
});
afterAll(() => service?.stop());

describe.each([
  ['v1', 'observe', [process.execPath, FAULTY, 'v1', 'observe']],
  ['v2', 'observe', [process.execPath, FAULTY, 'v2', 'observe']],
  [
    'v1',
    'wrap',
    [process.execPath, MAIN, 'wrap', '--name', 'wrapped-v1', '--', process.execPath, FAULTY, 'v1'],
  ],
  [
    'v2',
    'wrap',
    [process.execPath, MAIN, 'wrap', '--name', 'wrapped-v2', '--', process.execPath, FAULTY, 'v2'],
  ],
] as const)('faults on SDK %s through %s', (sdk, way, command) => {
  const server = way === 'wrap' ? `wrapped-${sdk}` : `faulty-${sdk}`;
  let calls: CallsResponse['calls'] = [];

  beforeAll(async () => {
    await callServer(`${sdk}-${way}`, command);
    // initialize, tools/list, the rows, one unknown method, one that timed out, one that was cancelled.
    calls = await callsOf(server, ROWS.length + 5);
  }, 240_000);

  test.each(ROWS)(
    'a call of $tool is classified as $expected because $because',
    ({ tool, expected, onTheWire }) => {
      const seen: ClassifiedCall[] = calls
        .filter((call) => call.tool === tool)
        .map((call) => ({ tool, triple: classificationOf(call) }));
      expect(seen).toEqual([{ tool, triple: way === 'wrap' ? (onTheWire ?? expected) : expected }]);
    },
  );

  test('a request for an unknown method is a protocol error of the client', () => {
    const seen = calls.filter((call) => call.method === 'no/such').map(classificationOf);
    expect(seen).toEqual([['protocol_error', 'client', '-32601']]);
  });

  test('a timeout of the client is a fault of the server, and a cancellation is no fault', () => {
    const seen = calls
      .filter((call) => call.tool === 'never')
      .map(classificationOf)
      .sort();
    expect(seen).toEqual([
      ['cancelled', 'none', ''],
      ['timeout', 'server', 'timeout'],
    ]);
  });

  test('a successful result that reports an error is marked', () => {
    expect(calls.filter((call) => call.errorInResult).map((call) => call.tool)).toEqual([
      'succeeds-with-error',
    ]);
  });
});

describe('faults in OTLP from a foreign emitter', () => {
  const spans = ROWS.flatMap((row, at) => (row.span ? [{ ...row, span: row.span, at }] : []));

  beforeAll(async () => {
    const nowNano = BigInt(Date.now()) * 1_000_000n;
    const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
    const body = {
      resourceSpans: [
        {
          resource: { attributes: [attribute('service.name', 'foreign')] },
          scopeSpans: [
            {
              scope: { name: 'mcp-python-sdk' },
              spans: spans.map(({ tool, span, at }) => ({
                traceId: (at + 1).toString(16).padStart(32, '0'),
                spanId: (at + 1).toString(16).padStart(16, '0'),
                name: `tools/call ${tool}`,
                kind: 2,
                startTimeUnixNano: String(nowNano),
                endTimeUnixNano: String(nowNano + 5_000_000n),
                status: span.message ? { code: 2, message: span.message } : {},
                attributes: Object.entries({
                  'mcp.method.name': 'tools/call',
                  'gen_ai.tool.name': tool,
                  ...span.attributes,
                }).map(([key, value]) => attribute(key, value)),
              })),
            },
          ],
        },
      ],
    };
    const response = await service.post(JSON.stringify(body));
    expect(response.status).toBe(200);
  });

  test.each(spans)(
    'a span of $tool is classified as $expected because $because',
    async ({ tool, expected }) => {
      const calls = await callsOf('foreign', spans.length);
      expect(calls.filter((call) => call.tool === tool).map(classificationOf)).toEqual([expected]);
    },
  );
});
