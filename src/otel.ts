// `import 'toolscope/otel'`: starts OpenTelemetry's SDK for a process that has no tracing yet, so that spans opened
// inside tools arrive as children of the call. Only on this import; a host that has a provider keeps it.

import { createRequire } from 'node:module';
import { diag, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { readEnvironment, withoutOtelHeaders } from './instrumentation/wrapper/environment.ts';
import { hasTracing } from './instrumentation/wrapper/host-span.ts';
import { createPackageRequire } from './instrumentation/wrapper/otel-api.ts';

/** Longest time (ms) an export may take, and with it the end of a process whose collector hangs. */
const EXPORT_TIMEOUT_MS = 2_000;

interface ExporterModule {
  readonly OTLPTraceExporter: new (options: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMillis: number;
  }) => NonNullable<NonNullable<ConstructorParameters<typeof NodeSDK>[0]>['traceExporter']>;
}

function startTracing(): void {
  const environment = readEnvironment();
  const target = environment.resolveTarget(undefined);
  if (environment.disabled || target.status === 'invalid' || hasTracing()) return;
  const sdk = new NodeSDK({
    traceExporter: createExporter(target.url, target.headers),
    metricReaders: [],
    logRecordProcessors: [],
    ...(environment.serviceName !== '' && { serviceName: environment.serviceName }),
  });
  // With OTEL_LOG_LEVEL set the SDK logs to the console, and stdout is where a stdio server speaks JSON-RPC.
  diag.disable();
  sdk.start();
  process.once('beforeExit', () => {
    sdk.shutdown().catch(() => environment.reportFailure('the last spans could not be exported'));
  });
}

type Exporter = InstanceType<ExporterModule['OTLPTraceExporter']>;

/** The exporter adds the headers of OTEL_* to whatever it is given; `headers` has them where they belong. */
function createExporter(url: string, headers: Readonly<Record<string, string>>): Exporter {
  const { OTLPTraceExporter } = loadExporter();
  return withoutOtelHeaders(() => new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS }));
}

/** The exporter is the SDK's own dependency, so it is found from there, whichever way packages are laid out. */
function loadExporter(): ExporterModule {
  const fromSdk = createRequire(createPackageRequire().resolve('@opentelemetry/sdk-node'));
  // What the package exports, as its own types have it.
  return fromSdk('@opentelemetry/exporter-trace-otlp-http') as ExporterModule;
}

startTracing();

/** The provider that is in place now: ours, or the one the host had. */
export const tracerProvider = trace.getTracerProvider();
