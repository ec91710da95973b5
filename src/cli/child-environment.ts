// Builds the environment of a server that `wrap` starts: the current one without our settings, plus the
// information that its calls are already reported.

import { RESOURCE_WRAPPED } from '../core/semconv/toolscope-attributes.ts';
import { withoutToolscopeVariables } from './without-toolscope-variables.ts';

type Variables = Readonly<Record<string, string | undefined>>;

interface ReportingState {
  /** URL to which its calls are reported; undefined when they are not. */
  readonly reportedTo: string | undefined;
  /** Whether an outer proxy already reports the calls. */
  readonly isWrapped: boolean;
}

/**
 * Our settings contain a token and a key, so the server does not get them. It gets only the flag that its
 * calls are already reported; if its own telemetry goes to the same service, a resource attribute marks its
 * spans likewise.
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

/** Returns where an OpenTelemetry SDK with these variables sends traces. */
function resolveOtelEndpoint(variables: Variables): string {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: all } = variables;
  return traces || all || 'http://127.0.0.1:4318';
}

/** Treats both names of loopback as the same origin. */
function toOrigin(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`;
}
