// Which process a span comes from, as far as its resource says: the same for every instrumentation that uses one TracerProvider.

import { createHash } from 'node:crypto';
import type { Attributes } from '../otlp/span.ts';
import { ATTR_SERVICE_NAME } from '../semconv/conventions.ts';
import { readText } from './attribute-reader.ts';

/** From the strongest down; each is enough where all of its attributes are there. */
const IDENTITIES: readonly (readonly string[])[] = [
  [ATTR_SERVICE_NAME, 'service.instance.id'],
  ['host.name', 'process.pid'],
  [ATTR_SERVICE_NAME],
];

/** What SDKs say of a service that has no name; many have none. */
const UNNAMED_SERVICE = 'unknown_service';

/** The spans of one resource share the object, and follow one another. */
const processIds = new WeakMap<Attributes, string>();

/**
 * @param resource attributes of a span's resource
 * @returns 16 lower-case hex digits, a digest, so that no name of a host leaves it; '' when the resource identifies nothing
 */
export function toProcessId(resource: Attributes): string {
  const processId = processIds.get(resource) ?? computeProcessId(resource);
  processIds.set(resource, processId);
  return processId;
}

function computeProcessId(resource: Attributes): string {
  const named = IDENTITIES.find((names) => names.every((name) => hasAttribute(resource, name)));
  if (named === undefined) return '';
  const parts = [...named, 'service.namespace'].map((name) => [name, readText(resource, [name])]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

function hasAttribute(resource: Attributes, name: string): boolean {
  const text = readText(resource, [name]);
  return text !== '' && !(name === ATTR_SERVICE_NAME && text.startsWith(UNNAMED_SERVICE));
}
