// One text for what a call answered: what fingerprints and similarity are made of. Of a tool result that is its text
// and its structure; `isError` and every `_meta` are left out, so that an error seen twice is the same answer.
import { canonicalText } from './canonical.ts';
import { condense, type Hashes, textMark } from './condense.ts';
import { isRecord } from './is-record.ts';

/**
 * The text of a JSON-RPC result.
 * @param result of `tools/call`: its text content, line by line, then its canonical structured content; of any other
 *   method: its canonical form without `_meta`. Images, audio and blobs stand as type, length and hash.
 */
export function resultText(result: unknown, hashes: Hashes): string {
  if (!isRecord(result)) return result === undefined ? '' : canonicalText(condense(result, hashes).value);
  if (!Array.isArray(result['content'])) {
    const { _meta, isError, ...rest } = result;
    return canonicalText(condense(rest, hashes).value);
  }
  const parts = result['content'].map((block) => blockText(block, hashes));
  const structured = result['structuredContent'];
  if (structured !== undefined && structured !== null)
    parts.push(canonicalText(condense(structured, hashes).value));
  return parts.join('\n');
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
  if (!isRecord(result)) return result;
  const { _meta, ...rest } = result;
  return rest;
}
