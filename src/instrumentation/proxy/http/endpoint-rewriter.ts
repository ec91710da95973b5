// Changes the address that a server of the 2024-11-05 transport names in the first event of a stream, if it is an
// absolute one: a client would otherwise post past the proxy. Nothing else of the stream changes.

import { Transform } from 'node:stream';

/** An endpoint event is the first of its stream, and short. */
const MAX_HEAD_BYTES = 8_192;

const EVENT_END = /\r?\n\r?\n/;
const ENDPOINT_DATA = /^(event:\s*endpoint\r?\n(?:[^\n]*\n)*?data:\s*)(\S+)/;

/** @param rewrite returns the address to send in place of the one given */
export function createEndpointRewriter(rewrite: (address: string) => string): Transform {
  let head: Buffer | undefined = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (head === undefined) return done(null, chunk);
      head = Buffer.concat([head, chunk]);
      const text = head.toString('latin1');
      if (mayBecomeEndpoint(text)) return done();
      const rewritten = text.replace(
        ENDPOINT_DATA,
        (_all, before, address) => `${before}${rewrite(address)}`,
      );
      head = undefined;
      return done(null, Buffer.from(rewritten, 'latin1'));
    },
    flush(done) {
      done(null, head);
    },
  });
}

/** Whether the stream may have begun an endpoint event that has not ended. */
function mayBecomeEndpoint(text: string): boolean {
  const start = 'event:';
  if (text.length < start.length) return start.startsWith(text);
  const isEndpoint = /^event:\s*(?:e\w*)?(?:\r?\n|$)/.test(text);
  return isEndpoint && text.length < MAX_HEAD_BYTES && !EVENT_END.test(text);
}
