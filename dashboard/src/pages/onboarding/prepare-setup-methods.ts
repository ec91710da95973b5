// Prepares setup instructions to copy. They contain the origin of this page, except where it is the default
// of the wrapper and of every OpenTelemetry SDK.

export interface SetupMethod {
  readonly id: string;
  readonly name: string;
  readonly sentence: string;
  readonly steps: readonly { readonly name: string; readonly code: string }[];
}

const DEFAULT_ORIGINS = ['http://127.0.0.1:4318', 'http://localhost:4318'];

/** @param origin of this page, which is also where spans are sent */
export function prepareSetupMethods(origin: string): SetupMethod[] {
  const isDefault = DEFAULT_ORIGINS.includes(origin);
  return [
    toTypeScriptMethod(origin, isDefault),
    toWrapMethod(origin, isDefault),
    toOpenTelemetryMethod(origin, isDefault),
  ];
}

function toTypeScriptMethod(origin: string, isDefault: boolean): SetupMethod {
  const option = isDefault ? '' : `, {\n  endpoint: '${origin}',\n}`;
  return {
    id: 'typescript',
    name: 'TypeScript',
    sentence:
      'One call, for SDK v1 and v2, before or after the tools are registered. It does not change what your server sends.',
    steps: [
      { name: 'Install', code: 'npm install toolscope' },
      {
        name: 'Wrap the server',
        code: `import { observe } from 'toolscope';

const server = observe(new McpServer({ name: 'notes', version: '1.0.0' })${option});`,
      },
    ],
  };
}

function toWrapMethod(origin: string, isDefault: boolean): SetupMethod {
  const args = ['-y', 'toolscope', 'wrap', '--', 'python', 'server.py'];
  const env = isDefault ? {} : { env: { TOOLSCOPE_ENDPOINT: origin } };
  const server = { command: 'npx', args, ...env };
  const option = isDefault ? '' : ` --env TOOLSCOPE_ENDPOINT=${origin}`;
  return {
    id: 'any-language',
    name: 'Any language',
    sentence:
      'Put toolscope wrap before the command in your client’s configuration. It forwards every byte unchanged; your server needs no changes.',
    steps: [
      {
        name: 'Claude Desktop, Cursor, Windsurf: mcpServers in their JSON',
        code: formatJson({ mcpServers: { notes: server } }),
      },
      {
        name: 'VS Code: .vscode/mcp.json',
        code: formatJson({ servers: { notes: { type: 'stdio', ...server } } }),
      },
      { name: 'Claude Code', code: `claude mcp add notes${option} -- npx ${args.join(' ')}` },
      {
        name: 'On the command line',
        code: `${isDefault ? '' : `TOOLSCOPE_ENDPOINT=${origin} `}npx toolscope wrap -- python server.py`,
      },
    ],
  };
}

const formatJson = (value: object): string => JSON.stringify(value, null, 2);

function toOpenTelemetryMethod(origin: string, isDefault: boolean): SetupMethod {
  return {
    id: 'opentelemetry',
    name: 'OpenTelemetry',
    sentence: isDefault
      ? 'On this machine nothing needs to be set: OpenTelemetry SDKs send to this address by default. Spans that follow the MCP conventions are supported.'
      : 'Send traces here over OTLP/HTTP, as protobuf or JSON. Spans that follow the MCP conventions are supported.',
    steps: [
      {
        name: 'Environment, for every language',
        code: `OTEL_EXPORTER_OTLP_ENDPOINT=${origin}\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`,
      },
      ...LANGUAGE_STEPS,
    ],
  };
}

/** How a process exports the spans that its MCP server or framework makes; the address is in the environment. */
const LANGUAGE_STEPS: SetupMethod['steps'] = [
  {
    name: 'Python',
    code: `pip install opentelemetry-distro opentelemetry-exporter-otlp-proto-http
OTEL_SERVICE_NAME=notes opentelemetry-instrument python server.py`,
  },
  {
    name: 'Go',
    code: `exporter, err := otlptracehttp.New(ctx) // reads OTEL_EXPORTER_OTLP_ENDPOINT
otel.SetTracerProvider(trace.NewTracerProvider(trace.WithBatcher(exporter)))`,
  },
  { name: 'Java', code: 'java -javaagent:opentelemetry-javaagent.jar -jar server.jar' },
  {
    name: '.NET',
    code: `builder.Services.AddOpenTelemetry().WithTracing(tracing =>
    tracing.AddSource("Experimental.ModelContextProtocol").AddOtlpExporter());`,
  },
];
