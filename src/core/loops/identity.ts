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
  const names = Object.keys(call.argumentFingerprints).sort();
  if (names.length === 0) {
    const intent = hashText(call.argumentsMaskedFingerprint || call.argumentsFingerprint, tool);
    return { tool, intent, beside: intent };
  }
  let intent = tool;
  let beside = tool;
  for (const name of names) {
    const role = roleOf(name);
    if (role === 'volatile') continue;
    const value = call.argumentFingerprints[name] ?? '';
    intent = hashText(value, hashText(name, intent));
    beside = role === 'cursor' ? hashText(name, beside) : hashText(value, hashText(name, beside));
  }
  return { tool, intent, beside };
}

type Role = 'meaning' | 'volatile' | 'cursor';

/** Names recur with every call, and there are few; a server that makes them up starts the table anew. */
const roles = new Map<string, Role>();
const ROLES_KEPT = 1000;

function roleOf(name: string): Role {
  const known = roles.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  const role = VOLATILE.test(plain) ? 'volatile' : CURSOR.test(plain) ? 'cursor' : 'meaning';
  if (roles.size >= ROLES_KEPT) roles.clear();
  if (name.length <= LONGEST_NAME) roles.set(name, role);
  return role;
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
