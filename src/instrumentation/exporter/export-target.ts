// Where calls go and with which headers, from an option and an environment. Pure: whoever reads the environment hands
// it in. The endpoint variables of OTel come in two kinds: a base gets /v1/traces appended, the signal's own does not.

/** Environment variables by name; '' counts as not set, as OTel has it. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export type ExportTarget =
  | {
      readonly status: 'target';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Those of `headers` that choose a tenant at the receiver: all but our own token, which may change. */
      readonly tenantHeaders: Readonly<Record<string, string>>;
    }
  | { readonly status: 'invalid'; readonly reason: string };

const DEFAULT_ENDPOINT = 'http://127.0.0.1:4318';
const OTLP_TRACES_PATH = '/v1/traces';

/**
 * Resolves the endpoint: option > TOOLSCOPE_ENDPOINT > OTEL_EXPORTER_OTLP_TRACES_ENDPOINT > OTEL_EXPORTER_OTLP_ENDPOINT
 * > http://127.0.0.1:4318.
 * Each credential goes only where it was meant for: headers of OTEL_* to an endpoint of OTEL_*, where an `authorization`
 * among them is the one that counts; TOOLSCOPE_TOKEN to an endpoint of ours, or to one on loopback.
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

/** By its address or by the one name that RFC 6761 gives it; the URL's parser has brought both into one spelling. */
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

/** `key=value` pairs separated by commas, values percent-encoded (W3C baggage without properties); a bad pair is skipped. */
function parseHeaders(text: string): Record<string, string> {
  return Object.fromEntries(text.split(',').flatMap((pair) => parseHeader(pair) ?? []));
}

function parseHeader(pair: string): [[string, string]] | undefined {
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
  const value = decodePercent(pair.slice(at + 1).trim());
  // What HTTP does not allow in a header would make every request throw.
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return undefined;
  return [[name, value]];
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % means the value was not encoded.
    return text;
  }
}
