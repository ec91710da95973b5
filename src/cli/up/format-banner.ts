// Formats the output of `up` when it is ready: the dashboard's URL, the endpoint, and the lines that connect
// a server.

const DEFAULT_PORT = 4318;

const OBSERVE_EXAMPLE = [
  ['import { observe }', "from 'toolscope';"].join(' '),
  "const server = observe(new McpServer({ name: 'notes', version: '1.0.0' }));",
];

export interface BannerOptions {
  readonly url: string;
  readonly port: number;
  readonly grpcPort?: number | undefined;
  readonly store: string;
  readonly tokenSet: boolean;
}

export function formatBanner({ url, port, grpcPort, store, tokenSet }: BannerOptions): string {
  const isDefault = port === DEFAULT_PORT;
  const endpoint = isDefault ? '' : `TOOLSCOPE_ENDPOINT=${url} `;
  return `
Toolscope is ready.

  Dashboard   ${url}
  OTLP/HTTP   ${url}/v1/traces
${grpcPort === undefined ? '' : `  OTLP/gRPC   ${new URL(url).hostname}:${grpcPort}\n`}  Store       ${store}

Instrument a TypeScript server:

  ${OBSERVE_EXAMPLE.join('\n  ')}
${isDefault ? '' : `\n  and start it with ${endpoint.trim()} in its environment\n`}
Or wrap a server in any language:

  ${endpoint}toolscope wrap -- <command> [arguments]
${tokenSet ? '\nA token is set: servers need TOOLSCOPE_TOKEN in their environment, and the dashboard requires it.\n' : ''}
Press Ctrl+C to stop.

`;
}
