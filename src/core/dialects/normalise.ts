// Spans of any emitter to calls: a table of dialects, the first that matches reads. A new emitter is a new row.

import type { OtlpSpan } from '../otlp/span.ts';
import { RESOURCE_WRAPPED } from '../semconv/toolscope-attributes.ts';
import type { Reduction } from '../values/reduction.ts';
import { readText } from './attribute-reader.ts';
import type { Dialect, Normalised as DialectResult } from './dialect.ts';
import { officialDialect } from './official.ts';
import { toolscopeDialect } from './read-toolscope.ts';

/** What a span came to: a call, the start of a server, or nothing of ours, with the reason. */
export type Normalised = DialectResult;

/** Ours first: our spans follow the conventions too, and say more. */
const DIALECTS: readonly Dialect[] = [toolscopeDialect, officialDialect];

/**
 * Reads one span. Pure, never throws.
 * @param reduction capture mode and key for values that other emitters send as they are
 */
export function normaliseSpan(span: OtlpSpan, reduction: Reduction): Normalised {
  const dialect = DIALECTS.find(({ matches }) => matches(span));
  if (!dialect) return { kind: 'ignored', reason: 'not_mcp' };
  const read = dialect.read(span, reduction);
  const isWrapped = read.kind === 'call' && readText(span.resource, [RESOURCE_WRAPPED]) !== '';
  return isWrapped ? { kind: 'ignored', reason: 'wrapped' } : read;
}
