// Resolves the export URL and its headers from an option and the environment. As in OTel, /v1/traces is
// appended to a base endpoint, but not to the endpoint of the traces signal.

/** Environment variables by name; as in OTel, '' means unset. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export type ExportTarget =
  | {
      readonly status: 'target';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The `headers` that select a tenant at the receiver: all except our own token, which may change. */
      readonly tenantHeaders: Readonly<Record<string, string>>;
    }
  | { readonly status: 'invalid'; readonly reason: string };

const DEFAULT_ENDPOINT = 'http://127.0.0.1:4318';
const OTLP_TRACES_PATH = '/v1/traces';

/**
 * Resolves the endpoint in this order: option, TOOLSCOPE_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
 * OTEL_EXPORTER_OTLP_ENDPOINT, http://127.0.0.1:4318. Credentials are sent only to the endpoint they belong
 * to: headers of OTEL_* (including `authorization`, which then takes precedence) to an endpoint of OTEL_*;
 * TOOLSCOPE_TOKEN to an endpoint of ours, or to one on loopback.
 *
 * @param option base URL from a flag or from code
 */
export function resolveTarget(option: string | undefined, environment: EnvironmentVariables): ExportTarget {
  const { source, given, isBase } = findEndpoint(option, environment);
  const url = toTracesUrl(given, isBase);
  if (url === undefined) {
    return { status: 'invalid', reason: `${source} is not an http or https URL; telemetry is off` };
  }
  const isOtel = source.startsWith('OTEL_');
  const token = isOtel && !isLoopback(url) ? undefined : environment['TOOLSCOPE_TOKEN'];
  const tenantHeaders = isOtel ? readOtelHeaders(environment) : {};
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...tenantHeaders };
  return { status: 'target', url, headers, tenantHeaders };
}

/** Loopback addresses and `localhost` (RFC 6761), as the URL parser spells them. */
function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

interface Endpoint {
  readonly source: string;
  readonly given: string;
  readonly isBase: boolean;
}

function findEndpoint(option: string | undefined, environment: EnvironmentVariables): Endpoint {
  if (option) return { source: 'the endpoint', given: option, isBase: true };
  for (const [source, isBase] of ENDPOINT_VARIABLES) {
    const given = environment[source];
    if (given) return { source, given, isBase };
  }
  return { source: 'the default', given: DEFAULT_ENDPOINT, isBase: true };
}

const ENDPOINT_VARIABLES = [
  ['TOOLSCOPE_ENDPOINT', true],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', false],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', true],
] as const;

function toTracesUrl(given: string, isBase: boolean): string | undefined {
  if (!URL.canParse(given)) return undefined;
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  const path = url.pathname.replace(/\/+$/, '');
  if (isBase && !path.endsWith(OTLP_TRACES_PATH)) url.pathname = `${path}${OTLP_TRACES_PATH}`;
  return url.href;
}

function readOtelHeaders(environment: EnvironmentVariables): Record<string, string> {
  const pairs = [
    ...parsePairs(environment['OTEL_EXPORTER_OTLP_HEADERS']),
    ...parsePairs(environment['OTEL_EXPORTER_OTLP_TRACES_HEADERS']),
  ].map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(pairs.filter(([name, value]) => isHeader(name, value)));
}

/** Node throws on every request that has characters in a header which HTTP does not allow. */
function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** Parses `key=value,key=value` with percent-encoded values (W3C Baggage); pairs without a key are skipped. */
export function parsePairs(text = ''): readonly (readonly [name: string, value: string])[] {
  return text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodePercent(pair.slice(at + 1).trim())] as const];
  });
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % means that the value was not encoded.
    return text;
  }
}
