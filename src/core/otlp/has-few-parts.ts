// How much a JSON text would become, before it is parsed: 64 MiB of "{}," are twenty million objects and more memory than
// a small machine has. One pass over the bytes, about a sixth of what parsing takes.

import { MAX_ELEMENTS } from './limits.ts';

/** Members of objects and lists together; a span of ours has less than two for each object in it. */
const MAX_MEMBERS = 3 * MAX_ELEMENTS;
/** What is smaller cannot become much. */
const SMALL_BYTES = 256 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/**
 * Whether a text has few enough parts to be parsed.
 *
 * @param bytes UTF-8; whether it is JSON at all is for the parser to say
 */
export function isWithinElementLimit(bytes: Uint8Array): boolean {
  if (bytes.length <= SMALL_BYTES) return true;
  let elements = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = findTextEnd(bytes, at);
    else if (byte === COMMA) members += 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) elements += 1;
  }
  return elements <= MAX_ELEMENTS && members <= MAX_MEMBERS;
}

/** Looks for the closing quote natively, and takes it unless an odd number of backslashes stands before it. */
function findTextEnd(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return bytes.length;
}
