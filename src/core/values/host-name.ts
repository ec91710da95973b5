// The host that an HTTP request asks for. A listener on loopback checks it against DNS rebinding: a page's own
// name resolves to 127.0.0.1, and the Host header carries that name.

/** The parts of a request of Node's HTTP server that name its host. */
interface HostRequest {
  readonly url?: string | undefined;
  readonly headers: { readonly host?: string | undefined };
  readonly rawHeaders: readonly string[];
}

/**
 * The name in lower case without port, brackets and closing dot; '' where the request names none.
 *
 * An address in the first line wins over the header (RFC 9112, 3.2.2); of two headers neither is believed.
 */
export function readHostName({ url = '', headers, rawHeaders }: HostRequest): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return URL.canParse(url) ? parseHostName(new URL(url).host) : '';
  const given = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  return given.length === 1 ? parseHostName(headers.host ?? '') : '';
}

function parseHostName(header: string): string {
  const name = /^(?:\[(?<bracketed>[^\]]*)\]|(?<plain>[^:]*))(?::\d*)?$/.exec(header.trim().toLowerCase());
  return (name?.groups?.['bracketed'] ?? name?.groups?.['plain'] ?? '').replace(/\.$/, '');
}

/** Whether a name always means this machine: `localhost`, or a name below it. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
