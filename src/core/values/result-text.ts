// One text for what a call answered: what fingerprints and similarity are made of. Of a tool result that is its text
// and its structure; `isError` and every `_meta` are left out, so that an error seen twice is the same answer.
import { canonicalText } from './canonical.ts';
import { condense, type Hashes, textMark } from './condense.ts';
import { isRecord } from './is-record.ts';
import { NAMES_LIMIT, namesOf } from './names.ts';

/** Blocks that are read, half at each end. */
const BLOCK_LIMIT = 2048;
/** UTF-16 units of the blocks together, where there are several; beyond, each is read at its ends. */
const TEXT_LIMIT = 4_000_000;

/**
 * The text of a JSON-RPC result.
 * @param result of `tools/call`: its text content, line by line, then its canonical structured content; of any other
 *   method: its canonical form without `_meta`. Images, audio and blobs stand as type, length and hash.
 */
export function resultText(result: unknown, hashes: Hashes): string {
  if (!isRecord(result)) return result === undefined ? '' : canonicalText(condense(result, hashes).value);
  if (!Array.isArray(result['content'])) {
    if (isWide(result)) return canonicalText(condense(result, hashes).value);
    const { _meta, isError, ...rest } = result;
    return canonicalText(condense(rest, hashes).value);
  }
  const parts = boundedParts(endsOf(result['content']).map((block) => blockText(block, hashes)));
  const blocks = result['content'].length;
  if (blocks > BLOCK_LIMIT) parts.push(`[${blocks} blocks]`);
  const structured = result['structuredContent'];
  if (structured !== undefined && structured !== null)
    parts.push(canonicalText(condense(structured, hashes).value));
  return parts.join('\n');
}

function endsOf(blocks: readonly unknown[]): readonly unknown[] {
  if (blocks.length <= BLOCK_LIMIT) return blocks;
  return [...blocks.slice(0, BLOCK_LIMIT / 2), ...blocks.slice(-BLOCK_LIMIT / 2)];
}

function boundedParts(parts: string[]): string[] {
  if (parts.length < 2 || parts.reduce((sum, part) => sum + part.length, 0) <= TEXT_LIMIT) return parts;
  const half = Math.floor(TEXT_LIMIT / parts.length / 2);
  return parts.map((part) =>
    part.length <= 2 * half ? part : `${part.length}\n${part.slice(0, half)}\n${part.slice(-half)}`,
  );
}

function blockText(block: unknown, hashes: Hashes): string {
  if (!isRecord(block)) return canonicalText(condense(block, hashes).value);
  if (block['type'] === 'text' && typeof block['text'] === 'string') return block['text'];
  if (typeof block['data'] === 'string')
    return textMark(String(block['mimeType'] ?? block['type']), block['data'], hashes.binary);
  const resource = block['resource'];
  if (isRecord(resource) && typeof resource['text'] === 'string') return resource['text'];
  if (isRecord(resource) && typeof resource['blob'] === 'string')
    return textMark(String(resource['mimeType'] ?? 'blob'), resource['blob'], hashes.binary);
  const { _meta, annotations, ...rest } = block;
  return canonicalText(condense(rest, hashes).value);
}

/** A result without its `_meta`: ids and trace contexts there change with every call. */
export function withoutMeta(result: unknown): unknown {
  if (!isRecord(result) || isWide(result)) return result;
  const { _meta, ...rest } = result;
  return rest;
}

/** A copy of thousands of members would cost more than what is left out of it. */
function isWide(result: object): boolean {
  return namesOf(result).count > NAMES_LIMIT;
}
