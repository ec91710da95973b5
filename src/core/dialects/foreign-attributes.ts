// What may be kept of attributes that have no field of their own. In `none` and `shape` only keys of a list whose values
// cannot quote a user; otherwise all of them, as text. Always bounded: a stranger chose them.

import type { CaptureMode } from '../model/tool-call.ts';
import type { AttributeValue, OtlpSpan } from '../otlp/span.ts';
import * as semconv from '../semconv/conventions.ts';
import * as own from '../semconv/toolscope-attributes.ts';
import { withoutBlobs } from '../values/blobs.ts';
import { isWorthHiding, ruleOfKey } from '../values/key-rules.ts';
import { payloadText } from '../values/payload.ts';
import { redactHead, redactName } from '../values/redaction.ts';
import type { Reduction } from '../values/reduction.ts';
import { marker } from '../values/text-rule.ts';
import { ownValue } from './attribute-reader.ts';

/**
 * Their values name software, a protocol, or what has no field of its own: a verdict of our guard, values that are not
 * described, the process. */
const ALLOWED: readonly string[] = [
  'fastmcp.component.type',
  'fastmcp.provider.type',
  'jsonrpc.protocol.version',
  'network.protocol.version',
  'telemetry.sdk.language',
  'telemetry.sdk.name',
  'telemetry.sdk.version',
  own.ATTR_GUARD_BLOCKED,
  own.ATTR_GUARD_NOT_JUDGED,
  own.ATTR_GUARD_NUDGED,
  own.ATTR_GUARD_WOULD_BLOCK,
  own.ATTR_NOT_DESCRIBED,
  own.ATTR_PROCESS_ID,
];

/** Attributes kept of one span, and UTF-16 units of one key and one value. */
const MAX_ATTRIBUTES = 64;
const MAX_KEY = 128;
const MAX_VALUE = 1024;

/** In `none` and `shape` a value must also look like a name or a version. */
const NAME_LIKE = /^[\w.+-]{1,64}$/;

const KNOWN: ReadonlySet<string> = new Set(
  [...Object.values(semconv), ...Object.values(own)].filter((key) => !ALLOWED.includes(key)),
);

/** Who uses the server: hashed into the principal, never kept beside it. `user_agent` is a program. */
const OF_A_USER =
  /(?:^|[._-])(?:end[_-]?user|usr|user)(?:\.(?!agent)|$|[_-]?(?:id|name|email|login|principal|pseudo|hash)\b)|[a-z]User(?:I[dD]|Name|Email)?$|(?:^|[._-])principal(?:[._-]?(?:id|name))?$|^(?:client|source|net\.(?:peer|sock\.peer))\.(?:address|ip)$|^(?:http\.)?client_ip$/i;

/** The attributes of a span and its resource that stay with the call; the span's win. */
export function reduceForeignAttributes(span: OtlpSpan, { capture }: Reduction): Record<string, string> {
  if (capture === 'none' || capture === 'shape') return keepAllowed(span);
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries({ ...span.resource, ...span.attributes })) {
    if (KNOWN.has(key) || key === '__proto__') continue;
    const text = toText(key, value, capture);
    if (text !== '') kept[capture === 'full' ? key.slice(0, MAX_KEY) : redactName(key, MAX_KEY)] = text;
    if (Object.keys(kept).length >= MAX_ATTRIBUTES) break;
  }
  return kept;
}

/** Asks for the few keys of the list rather than looking at all: this runs for every span of every emitter. */
function keepAllowed({ attributes, resource }: OtlpSpan): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const key of ALLOWED) {
    const value = ownValue(attributes, key) ?? ownValue(resource, key);
    if (typeof value === 'string' && NAME_LIKE.test(value) && redactName(value) === value) kept[key] = value;
  }
  return kept;
}

function toText(key: string, value: AttributeValue, capture: CaptureMode): string {
  if (OF_A_USER.test(key)) return marker('user');
  if (capture !== 'full') return redactAttribute(key, value);
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_VALUE);
}

function redactAttribute(key: string, value: AttributeValue): string {
  const rule = isWorthHiding(key, value) ? ruleOfKey(key) : undefined;
  if (rule !== undefined) return marker(rule);
  if (typeof value === 'string') return redactHead(withoutBlobs(value).text, MAX_VALUE).text;
  return payloadText(value, 'redacted').text.slice(0, MAX_VALUE);
}
