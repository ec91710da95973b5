// Sends one POST to addresses that were checked before. It follows no redirects, uses no proxy and keeps no
// connection: node:http does none of that by itself, and fetch cannot be bound to an address.

import type { LookupAddress } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';

export interface PostRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The only addresses that are connected to, whatever the name says by now. */
  readonly addresses: readonly LookupAddress[];
  readonly signal: AbortSignal;
}

export interface PostResult {
  readonly status: number;
  /** As sent. */
  readonly retryAfter: string | undefined;
}

/** \n@returns the response head; the body is not read. Rejects with the system's error or the signal's. */
export function postJson(url: URL, { body, headers, addresses, signal }: PostRequest): Promise<PostResult> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent: false,
        signal,
        lookup: createPinnedLookup(addresses),
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        },
      },
      (response: IncomingMessage) => {
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
        response.destroy();
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** A resolver that has but one answer. It is not asked where the URL holds an address, and that one was checked. */
function createPinnedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return function lookup(_hostname, options, callback) {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
