// What may be kept of attributes that have no field of their own. In `none` and `shape` only keys of a list whose values
// cannot quote a user; otherwise all of them, as text. Always bounded: a stranger chose them.

import type { AttributeValue, OtlpSpan } from '../otlp/span.ts';
import * as semconv from '../semconv/conventions.ts';
import * as own from '../semconv/toolscope-attributes.ts';
import { redactText, redactValue } from '../values/redaction.ts';
import type { Reduction } from '../values/reduction.ts';
import { ownValue } from './attribute-reader.ts';

/** Their values name software, a protocol, or a verdict of our guard, which has no field of its own. */
const ALLOWED: readonly string[] = [
  'fastmcp.component.type',
  'fastmcp.provider.type',
  'jsonrpc.protocol.version',
  'network.protocol.version',
  'telemetry.sdk.language',
  'telemetry.sdk.name',
  'telemetry.sdk.version',
  own.ATTR_GUARD_BLOCKED,
  own.ATTR_GUARD_WOULD_BLOCK,
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

/** The attributes of a span and its resource that stay with the call; the span's win. */
export function reduceForeignAttributes(span: OtlpSpan, { capture }: Reduction): Record<string, string> {
  if (capture === 'none' || capture === 'shape') return keepAllowed(span);
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries({ ...span.resource, ...span.attributes })) {
    const text = KNOWN.has(key) ? '' : toText(value, capture === 'full');
    if (text !== '' && key !== '__proto__') kept[key.slice(0, MAX_KEY)] = text;
    if (Object.keys(kept).length >= MAX_ATTRIBUTES) break;
  }
  return kept;
}

/** Asks for the few keys of the list rather than looking at all: this runs for every span of every emitter. */
function keepAllowed({ attributes, resource }: OtlpSpan): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const key of ALLOWED) {
    const value = ownValue(attributes, key) ?? ownValue(resource, key);
    if (typeof value === 'string' && NAME_LIKE.test(value)) kept[key] = value;
  }
  return kept;
}

function toText(value: AttributeValue, whole: boolean): string {
  if (typeof value === 'string') {
    return (whole ? value : redactText(value.slice(0, MAX_VALUE))).slice(0, MAX_VALUE);
  }
  return (JSON.stringify(whole ? value : redactValue(value)) ?? '').slice(0, MAX_VALUE);
}
