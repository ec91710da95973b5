// The shape of a result. Of a tool result it is the shape of its content blocks, whose types the protocol declares,
// and of its structured content, whose names the tool's output schema declares.
import { isRecord } from './is-record.ts';
import { omitMeta } from './result-text.ts';
import { MAX_SHAPE_LENGTH, toShape } from './shape.ts';

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
 * Shape of a result of any method, as `toShape` writes it, at most 2 kB.
 * @param schema output schema of the tool, if there is one.
 */
export function toResultShape(result: unknown, schema: unknown): string {
  if (!isRecord(result) || !Array.isArray(result['content'])) return toShape(omitMeta(result));
  const content = toShape(result['content'], CONTENT_SCHEMA);
  const structured =
    result['structuredContent'] === undefined
      ? ''
      : `,"structuredContent":${toShape(result['structuredContent'], schema)}`;
  const both = `{"content":${content}${structured}}`;
  if (both.length <= MAX_SHAPE_LENGTH) return both;
  return `{"content":"array:${result['content'].length}"${structured.length < 1900 ? structured : ''}}`;
}
