// One text for what a call answered: what fingerprints and similarity are made of. Of a tool result that is its text
// and its structure; `isError` and every `_meta` are left out, so that an error seen twice is the same answer.

import { type TextHashers, toBoundedCopy, toTextPlaceholder } from './bounded-copy.ts';
import { toCanonicalText } from './canonical-text.ts';
import { isRecord } from './is-record.ts';
import { listKeys, MAX_LISTED_KEYS } from './object-keys.ts';
import { MAX_SHAPE_LENGTH, parseShortJson, toShape } from './shape.ts';

/** What MCP itself declares of a content block, as far as it may be said. */
const CONTENT_SCHEMA = {
  items: {
    properties: {
      type: { enum: ['text', 'image', 'audio', 'resource', 'resource_link'] },
      // Servers that answer with JSON in a text are told from those that answer in words.
      text: { contentMediaType: 'application/json' },
      mimeType: {},
      resource: { properties: { uri: {}, mimeType: {}, blob: {} } },
    },
  },
};

/**
 * Shape of a result of any method, as `toShape` writes it, at most 2 kB. A result without structured content whose text is
 * JSON has its shape as `textJson`: many servers answer so, and the names in it are no values.
 * @param schema output schema of the tool, if there is one.
 */
export function toResultShape(result: unknown, schema: unknown): string {
  if (!isRecord(result) || !Array.isArray(result['content'])) return toShape(omitMeta(result));
  const content = toShape(result['content'], CONTENT_SCHEMA);
  const structure = toStructureShape(result['content'], result['structuredContent'], schema);
  const both = `{"content":${content}${structure}}`;
  if (both.length <= MAX_SHAPE_LENGTH) return both;
  return `{"content":"array:${result['content'].length}"${structure.length < 1900 ? structure : ''}}`;
}

function toStructureShape(content: readonly unknown[], structured: unknown, schema: unknown): string {
  if (structured !== undefined)
    return `,"structuredContent":${toShape(structured, schema, { withFailureCounts: true })}`;
  const parsed = findTextJson(content);
  return parsed === undefined ? '' : `,"textJson":${toShape(parsed, schema, { withFailureCounts: true })}`;
}

/** Blocks among which JSON is looked for. */
const MAX_JSON_BLOCKS = 8;

function findTextJson(content: readonly unknown[]): unknown {
  for (const block of content.slice(0, MAX_JSON_BLOCKS)) {
    const text = isRecord(block) && block['type'] === 'text' ? block['text'] : undefined;
    const parsed = typeof text === 'string' ? parseShortJson(text) : undefined;
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

/** Blocks that are read, half at each end. */
const MAX_BLOCKS = 2048;
/** UTF-16 units of the blocks together, where there are several; beyond, each is read at its ends. */
const MAX_TEXT_LENGTH = 4_000_000;

/**
 * The text of a JSON-RPC result.
 * @param result of `tools/call`: its text content, line by line, then its canonical structured content; of any other
 *   method: its canonical form without `_meta`. Images, audio and blobs stand as type, length and hash.
 * @param structuredText canonical JSON of the structured content, where it is known already
 */
export function toResultText(result: unknown, hashers: TextHashers, structuredText?: string): string {
  if (!isRecord(result))
    return result === undefined ? '' : toCanonicalText(toBoundedCopy(result, hashers).value);
  if (!Array.isArray(result['content'])) {
    if (hasManyKeys(result)) return toCanonicalText(toBoundedCopy(result, hashers).value);
    const { _meta, isError, ...rest } = result;
    return toCanonicalText(toBoundedCopy(rest, hashers).value);
  }
  const parts = truncateParts(takeEndBlocks(result['content']).map((block) => toBlockText(block, hashers)));
  const blocks = result['content'].length;
  if (blocks > MAX_BLOCKS) parts.push(`[${blocks} blocks]`);
  const structured = result['structuredContent'];
  if (structured !== undefined && structured !== null)
    parts.push(structuredText ?? toCanonicalText(toBoundedCopy(structured, hashers).value));
  return parts.join('\n');
}

function takeEndBlocks(blocks: readonly unknown[]): readonly unknown[] {
  if (blocks.length <= MAX_BLOCKS) return blocks;
  return [...blocks.slice(0, MAX_BLOCKS / 2), ...blocks.slice(-MAX_BLOCKS / 2)];
}

function truncateParts(parts: string[]): string[] {
  if (parts.length < 2 || parts.reduce((sum, part) => sum + part.length, 0) <= MAX_TEXT_LENGTH) return parts;
  const half = Math.floor(MAX_TEXT_LENGTH / parts.length / 2);
  return parts.map((part) =>
    part.length <= 2 * half ? part : `${part.length}\n${part.slice(0, half)}\n${part.slice(-half)}`,
  );
}

function toBlockText(block: unknown, hashers: TextHashers): string {
  if (!isRecord(block)) return toCanonicalText(toBoundedCopy(block, hashers).value);
  if (block['type'] === 'text' && typeof block['text'] === 'string') return block['text'];
  if (typeof block['data'] === 'string')
    return toTextPlaceholder(String(block['mimeType'] ?? block['type']), block['data'], hashers.binary);
  const resource = block['resource'];
  if (isRecord(resource) && typeof resource['text'] === 'string') return resource['text'];
  if (isRecord(resource) && typeof resource['blob'] === 'string')
    return toTextPlaceholder(String(resource['mimeType'] ?? 'blob'), resource['blob'], hashers.binary);
  const { _meta, annotations, ...rest } = block;
  return toCanonicalText(toBoundedCopy(rest, hashers).value);
}

/** A result without its `_meta`: ids and trace contexts there change with every call. */
export function omitMeta(result: unknown): unknown {
  if (!isRecord(result) || isPlainWithoutMeta(result) || hasManyKeys(result)) return result;
  const { _meta, ...rest } = result;
  return rest;
}

/** Nothing to leave out, so that no copy is needed. */
function isPlainWithoutMeta(result: object): boolean {
  return !('_meta' in result) && Object.getPrototypeOf(result) === Object.prototype;
}

/** A copy of thousands of members would cost more than what is left out of it. */
function hasManyKeys(result: object): boolean {
  return listKeys(result).count > MAX_LISTED_KEYS;
}
