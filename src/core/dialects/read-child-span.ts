// Reads a span that is no call as one that may belong to a call: the tool's own queries and requests. Its name is free
// text of the host, so it is masked like an error message; statements, URLs and other attributes are left out.

import type { ChildSpan } from '../model/child-span.ts';
import type { OtlpSpan } from '../otlp/span.ts';
import { ATTR_ERROR_TYPE } from '../semconv/conventions.ts';
import * as names from '../semconv/dependency-attributes.ts';
import { BoundedMap } from '../values/bounded-map.ts';
import { toErrorTemplate } from '../values/error-template.ts';
import { redactName } from '../values/redact-name.ts';
import { redactShortText } from '../values/redact-text.ts';
import type { RedactionOptions } from '../values/redaction-options.ts';
import { readName, readText } from './attribute-reader.ts';
import { findDependency } from './find-dependency.ts';

/** UTF-16 units of a name. */
const MAX_NAME_LENGTH = 120;

/**
 * Reads a span that no dialect reads as a call. Pure, never throws.
 *
 * @returns undefined for a root span, which cannot be below a call
 */
export function readChildSpan(span: OtlpSpan, redaction: RedactionOptions): ChildSpan | undefined {
  if (span.parentSpanId === '' || span.parentSpanId === NO_SPAN) return undefined;
  const { kind, name: dependency } = findDependency(span, redaction);
  const errorType = readText(span.attributes, [ATTR_ERROR_TYPE]);
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    startedAtUs: span.startUs,
    durationUs: Math.max(0, span.endUs - span.startUs),
    name: redactSpanName(span, dependency, redaction),
    kind,
    dependency,
    failed: span.status.code === 2 || errorType !== '',
    errorType: redactName(errorType, redaction),
  };
}

const NO_SPAN = '0'.repeat(16);

/** Attributes whose values are names that the developer chose, which a span's name may repeat. */
const NAMES_IN_SPAN_NAMES = [
  ...[...names.DB_OPERATION_NAMES, ...names.DB_COLLECTION_NAMES, ...names.DB_NAMESPACE_NAMES],
  ...[...names.DB_SYSTEM_NAMES, ...names.RPC_SERVICE_NAMES, ...names.RPC_METHOD_NAMES],
  ...[...names.MESSAGING_SYSTEM_NAMES, ...names.MESSAGING_DESTINATION_NAMES, ...names.HTTP_METHOD_NAMES],
];

/** Words that instrumentations use in names of spans and that error messages do not have. */
const SPAN_WORDS = [
  ...['dns', 'tcp', 'tls', 'fs', 'pg', 'pool', 'mysql', 'mysql2', 'mongodb', 'mongoose', 'redis', 'ioredis'],
  ...[
    'prisma',
    'client',
    'knex',
    'sequelize',
    'typeorm',
    'drizzle',
    'fetch',
    'undici',
    'middleware',
    'lookup',
  ],
  ...['select', 'insert', 'update', 'delete', 'begin', 'commit', 'rollback', 'upsert', 'find', 'aggregate'],
  ...[
    'get',
    'post',
    'put',
    'patch',
    'head',
    'hget',
    'hset',
    'mget',
    'set',
    'del',
    'expire',
    'publish',
    'send',
  ],
  ...['tools', 'call', 'chat', 'embeddings', 'sqlite', 'postgresql', 'lambda', 's3', 'dynamodb'],
];

function redactSpanName(span: OtlpSpan, dependency: string, redaction: RedactionOptions): string {
  if (redaction.capture === 'none') return '';
  if (redaction.capture !== 'shape') return redactShortText(span.name, MAX_NAME_LENGTH);
  const known = NAMES_IN_SPAN_NAMES.flatMap((key) =>
    Object.hasOwn(span.attributes, key) ? [readName(span.attributes, [key], redaction)] : [],
  );
  return maskName(span.name, [dependency, ...known]);
}

/** A host has few names of spans and sends each often; masking one takes ten times as long as reading the rest of a span. */
const MASKED = new BoundedMap<string, string>(1_000);
/** A longer name is no name of an operation, and not remembered. */
const MAX_REMEMBERED_LENGTH = 200;

function maskName(name: string, known: readonly string[]): string {
  const key = [name, ...known].join('\n');
  const remembered = MASKED.get(key);
  if (remembered !== undefined) return remembered;
  const words = [...SPAN_WORDS, ...known.flatMap(toWords)];
  const masked = toErrorTemplate(name, { known: words }).slice(0, MAX_NAME_LENGTH);
  if (key.length <= MAX_REMEMBERED_LENGTH) MASKED.set(key, masked);
  return masked;
}

/** A name of several words is known by each of them, and as a whole. */
function toWords(name: string): string[] {
  return name === '' ? [] : [name, ...name.split(/[^\p{L}\p{N}_]+/u)];
}
