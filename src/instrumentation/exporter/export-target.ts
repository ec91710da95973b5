// Resolves the export URL and its headers from an option and the environment. Pure: the caller passes the
// environment. OTel has two kinds of endpoint variables: /v1/traces is appended to the base endpoint, but not
// to the signal's own.

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

/**
 * Matches loopback addresses and the name `localhost` (RFC 6761). The URL parser has already normalised the
 * spelling.
 */
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
  return {
    ...parseHeaders(environment['OTEL_EXPORTER_OTLP_HEADERS'] ?? ''),
    ...parseHeaders(environment['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? ''),
  };
}

/**
 * Parses `key=value` pairs separated by commas, values percent-encoded (W3C baggage without properties).
 * Invalid pairs are skipped.
 */
function parseHeaders(text: string): Record<string, string> {
  return Object.fromEntries(text.split(',').flatMap((pair) => parseHeader(pair) ?? []));
}

function parseHeader(pair: string): [[string, string]] | undefined {
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
  const value = decodePercent(pair.slice(at + 1).trim());
  // Node throws on every request that has characters in a header which HTTP does not allow.
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return undefined;
  return [[name, value]];
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % means that the value was not encoded.
    return text;
  }
}
