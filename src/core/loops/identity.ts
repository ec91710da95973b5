// Whether two calls ask for the same thing. Arguments whose value means nothing for the answer (a request id, the time)
// do not count; a cursor counts apart, because moving it is paging if the answers change and a loop if they do not.

import type { LoopCall } from './loop-call.ts';

/** One call's request as numbers: hashes of 53 bits, because a session keeps many of them. */
export interface Identity {
  readonly tool: number;
  /** Tool and all arguments that mean something; 0 if the arguments are not known. */
  readonly intent: number;
  /** The same without cursors; equal to `intent` if there is none. */
  readonly beside: number;
}

/** Names whose values are made up for each call. Compared in lower case without punctuation. */
const VOLATILE =
  /^(?:(?:request|req|trace|span|correlation|idempotency|message|msg|invocation|toolcall|call|transaction)(?:id|key|uuid)|traceparent|nonce|salt|uuid|guid|timestamp|ts|asof|now|clock|currenttime|requestedat|sentat|attempt|attempts|attemptnumber|retry|retries|retrycount|cachebuster|seed|randomseed)$/;

/** Names that say which part of the same thing is asked for. */
const CURSOR =
  /^(?:page|pagenumber|pageno|pageindex|pagetoken|nextpage|nextpagetoken|nexttoken|continuationtoken|continuation|cursor|nextcursor|after|offset|skip|start|startindex|startat)$/;

export function identify(call: LoopCall): Identity {
  const tool = hashText(call.toolName, hashText(call.serverName, 0));
  if (call.argumentsFingerprint === '' && call.argumentsMaskedFingerprint === '')
    return { tool, intent: 0, beside: 0 };
  let count = 0;
  let intent = tool;
  let beside = tool;
  for (const name in call.argumentFingerprints) {
    count++;
    const { role, hash } = readName(name);
    if (role === 'volatile') continue;
    // Sums, so that the order of the arguments is nothing.
    const said = hashText(call.argumentFingerprints[name] ?? '', hash);
    intent = (intent + said) % WRAP;
    beside = (beside + (role === 'cursor' ? hash : said)) % WRAP;
  }
  if (count > 0) return { tool, intent, beside };
  const all = hashText(call.argumentsMaskedFingerprint || call.argumentsFingerprint, tool);
  return { tool, intent: all, beside: all };
}

/** Below it two hashes add up exactly. */
const WRAP = 2 ** 52;

type Role = 'meaning' | 'volatile' | 'cursor';

interface Name {
  readonly role: Role;
  readonly hash: number;
}

/** Names recur with every call, and there are few; a server that makes them up starts the table anew. */
const known = new Map<string, Name>();
const NAMES_KEPT = 1000;

function readName(text: string): Name {
  const before = known.get(text);
  if (before !== undefined) return before;
  const plain = text.toLowerCase().replace(/[^a-z]/g, '');
  const role = VOLATILE.test(plain) ? 'volatile' : CURSOR.test(plain) ? 'cursor' : 'meaning';
  const name: Name = { role, hash: hashText(text, 0) };
  if (known.size >= NAMES_KEPT) known.clear();
  if (text.length <= LONGEST_NAME) known.set(text, name);
  return name;
}

const LONGEST_NAME = 64;

/** cyrb53 with a seed: no secret is needed, fingerprints are keyed already. */
export function hashText(text: string, seed: number): number {
  let a = 0xdeadbeef ^ (seed | 0);
  let b = 0x41c6ce57 ^ (seed / 0x100000000);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
