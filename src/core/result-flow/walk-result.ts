// The values of a result of any method: of a tool's result its structure, or JSON in its text, or the ids in its text.

import { isRecord } from '../values/is-record.ts';
import type { FieldPath } from './field-path.ts';
import { parseJsonText, type ValueWalk } from './walk-values.ts';

/** Content blocks that are looked at. */
const MAX_BLOCKS = 64;

/** Visits a result, or the error of a call that has none. */
export function walkResult(result: unknown, root: FieldPath, walk: ValueWalk): void {
  if (!isRecord(result)) return;
  const content = result['content'];
  if (!Array.isArray(content)) {
    walk.visit(result, root);
    return;
  }
  const structured = result['structuredContent'];
  if (isRecord(structured)) walk.visit(structured, root);
  if (content.length > MAX_BLOCKS) walk.isWhole = false;
  for (const block of content.slice(0, MAX_BLOCKS))
    walkBlock(block, root, { walk, isStructured: isRecord(structured) });
}

interface BlockOptions {
  readonly walk: ValueWalk;
  /** Then JSON in a text is the structure once more. */
  readonly isStructured: boolean;
}

function walkBlock(block: unknown, root: FieldPath, { walk, isStructured }: BlockOptions): void {
  if (!isRecord(block)) return;
  const text = block['text'];
  if (typeof text === 'string') {
    if (isStructured && /^\s{0,64}[{[]/.test(text)) return;
    const parsed = parseJsonText(text);
    if (parsed === undefined) walk.text(text, root.child('text'));
    else walk.visit(parsed, root);
    return;
  }
  // A link to a resource, and an embedded resource; images and sound hold nothing to pass on.
  if (typeof block['uri'] === 'string') walk.text(block['uri'], root.child('uri'));
  const resource = block['resource'];
  if (!isRecord(resource)) return;
  if (typeof resource['uri'] === 'string') walk.text(resource['uri'], root.child('uri'));
  if (typeof resource['text'] === 'string') walk.text(resource['text'], root.child('text'));
}
