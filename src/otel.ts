// `import 'toolscope/otel'` starts the OpenTelemetry SDK in a process that has no tracing yet, so that spans
// created inside tools become children of the call. An existing provider stays in place.

import { createRequire } from 'node:module';
import { diag, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { readEnvironment, withoutOtelHeaders } from './instrumentation/wrapper/environment.ts';
import { hasTracing } from './instrumentation/wrapper/host-span.ts';
import { createPackageRequire } from './instrumentation/wrapper/otel-api.ts';

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
  // With OTEL_LOG_LEVEL set, the SDK logs to the console, but a stdio server sends JSON-RPC on stdout.
  diag.disable();
  sdk.start();
  process.once('beforeExit', () => {
    sdk.shutdown().catch(() => environment.reportFailure('the last spans could not be exported'));
  });
}

type Exporter = InstanceType<ExporterModule['OTLPTraceExporter']>;

/** The exporter adds the OTEL_* headers to those it is given; `headers` has them where they belong. */
function createExporter(url: string, headers: Readonly<Record<string, string>>): Exporter {
  const { OTLPTraceExporter } = loadExporter();
  return withoutOtelHeaders(() => new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS }));
}

/** The exporter is a dependency of the SDK, so it is resolved from there, whatever the package layout. */
function loadExporter(): ExporterModule {
  const fromSdk = createRequire(createPackageRequire().resolve('@opentelemetry/sdk-node'));
  // The package's exports according to its own types.
  return fromSdk('@opentelemetry/exporter-trace-otlp-http') as ExporterModule;
}

startTracing();

/** The current provider: ours, or the host process's own. */
export const tracerProvider = trace.getTracerProvider();
