// One text for what a call answered: what fingerprints and similarity are made of. Of a tool result that is its text
// and its structure; `isError` and every `_meta` are left out, so that an error seen twice is the same answer.
import { canonicalText } from './canonical.ts';
import { binaryMark, condense, type Hash } from './condense.ts';
import { isRecord } from './is-record.ts';

/**
 * The text of a JSON-RPC result.
 * @param result of `tools/call`: its text content, line by line, then its canonical structured content; of any other
 *   method: its canonical form without `_meta`. Images, audio and blobs stand as type, length and hash.
 */
export function resultText(result: unknown, hash: Hash): string {
  if (!isRecord(result)) return result === undefined ? '' : canonicalText(condense(result, hash).value);
  if (!Array.isArray(result['content'])) {
    const { _meta, isError, ...rest } = result;
    return canonicalText(condense(rest, hash).value);
  }
  const parts = result['content'].map((block) => blockText(block, hash));
  const structured = result['structuredContent'];
  if (structured !== undefined && structured !== null)
    parts.push(canonicalText(condense(structured, hash).value));
  return parts.join('\n');
}

function blockText(block: unknown, hash: Hash): string {
  if (!isRecord(block)) return canonicalText(condense(block, hash).value);
  if (block['type'] === 'text' && typeof block['text'] === 'string') return block['text'];
  if (typeof block['data'] === 'string')
    return binaryMark(String(block['mimeType'] ?? block['type']), block['data'], hash);
  const resource = block['resource'];
  if (isRecord(resource) && typeof resource['text'] === 'string') return resource['text'];
  if (isRecord(resource) && typeof resource['blob'] === 'string')
    return binaryMark(String(resource['mimeType'] ?? 'blob'), resource['blob'], hash);
  const { _meta, annotations, ...rest } = block;
  return canonicalText(condense(rest, hash).value);
}

/** A result without its `_meta`: ids and trace contexts there change with every call. */
export function withoutMeta(result: unknown): unknown {
  if (!isRecord(result)) return result;
  const { _meta, ...rest } = result;
  return rest;
}
