// The environment of a server that `wrap` starts: its own, without our settings, and with the word that its calls are counted.

import { RESOURCE_WRAPPED } from '../core/semconv/toolscope-attributes.ts';
import { withoutToolscopeVariables } from './without-toolscope-variables.ts';

type Variables = Readonly<Record<string, string | undefined>>;

interface ReportingState {
  /** Where we report its calls to; undefined where we do not. */
  readonly reportedTo: string | undefined;
  /** A proxy around us counts. */
  readonly isWrapped: boolean;
}

/**
 * Our settings are not the server's to see: a token and a key are among them. It only learns that its calls are counted; its spans
 * say so too, where its own telemetry goes to the service that has the calls from us.
 */
export function toServerEnvironment(
  variables: Variables,
  { reportedTo, isWrapped }: ReportingState,
): Variables {
  const { OTEL_RESOURCE_ATTRIBUTES: own = '' } = variables;
  const isSame =
    reportedTo !== undefined && toOrigin(reportedTo) === toOrigin(resolveOtelEndpoint(variables));
  return {
    ...withoutToolscopeVariables(variables),
    ...(isSame && {
      OTEL_RESOURCE_ATTRIBUTES: own === '' ? WRAPPED_ATTRIBUTE : `${own},${WRAPPED_ATTRIBUTE}`,
    }),
    ...((reportedTo !== undefined || isWrapped) && { TOOLSCOPE_WRAPPED: '1' }),
  };
}

const WRAPPED_ATTRIBUTE = `${RESOURCE_WRAPPED}=1`;

/** Where an OpenTelemetry SDK sends traces with these variables. */
function resolveOtelEndpoint(variables: Variables): string {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: all } = variables;
  return traces || all || 'http://127.0.0.1:4318';
}

/** Loopback by either name is one place. */
function toOrigin(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`;
}
