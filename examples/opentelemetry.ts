// OTLP from a process with a configured OpenTelemetry SDK, in which Toolscope is not installed. Spans that
// follow the MCP semantic conventions become calls; all other spans are ignored.
//
//   OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 npx tsx examples/opentelemetry.ts

import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';

const sdk = new NodeSDK({ serviceName: 'weather-otlp', metricReaders: [], logRecordProcessors: [] });
sdk.start();

const tracer = trace.getTracer('weather');

/** Runs the handler of a tool in a span of its call. */
async function traceToolCall<T>(toolName: string, sessionId: string, run: () => Promise<T>): Promise<T> {
  const attributes = {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': toolName,
    'mcp.session.id': sessionId,
  };
  return tracer.startActiveSpan(
    `tools/call ${toolName}`,
    { kind: SpanKind.SERVER, attributes },
    async (span) => {
      try {
        return await run();
      } catch (error) {
        span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
        span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
        throw error;
      } finally {
        span.end();
      }
    },
  );
}

await traceToolCall('get_forecast', 'session-1', async () => 'Sunny in Lisbon.');
await sdk.shutdown();
