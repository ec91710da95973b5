// The environment of programs that we start. Our settings contain a token, a key and a password, which
// third-party programs must not get.

import { RESOURCE_WRAPPED } from '../core/semconv/toolscope-attributes.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export function withoutToolscopeVariables(variables: Variables): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !/^TOOLSCOPE_/i.test(name)));
}

interface ReportingState {
  /** URL to which its calls are reported; undefined when they are not. */
  readonly reportedTo: string | undefined;
  /** Whether an outer proxy already reports the calls. */
  readonly isWrapped: boolean;
}

/**
 * For a server that `wrap` starts: a flag says that its calls are already reported. If its own telemetry goes
 * to the same service, a resource attribute says so too.
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
