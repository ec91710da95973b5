// YAML through the package `yaml`, whose nodes know their place.

import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml';
import { UserError } from '../../errors.ts';
import type { ConfigMember, ConfigNode, ConfigTree } from './config-tree.ts';

/** @throws UserError with the line that is malformed */
export function parseYaml(text: string): ConfigTree {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined)
    throw new UserError('INVALID_PARAMETER', error.message.split('\n', 1)[0] ?? 'It is malformed.');
  return { text, root: toNode(document.contents), format: 'yaml' };
}

function toNode(node: unknown): ConfigNode {
  if (isMap(node)) return { kind: 'object', ...spanOf(node), members: node.items.flatMap(toMember) };
  if (isSeq(node))
    return { kind: 'array', ...spanOf(node), items: node.items.map(toNode), isBlock: node.flow !== true };
  if (!isScalar(node)) return { kind: 'other', start: 0, end: 0 };
  return typeof node.value === 'string'
    ? { kind: 'string', ...spanOf(node), text: node.value }
    : { kind: 'other', ...spanOf(node) };
}

/** Keys that are no strings name no server and no option. */
function toMember({ key, value }: Pair): readonly ConfigMember[] {
  if (!isScalar(key) || typeof key.value !== 'string') return [];
  return [{ name: key.value, start: spanOf(key).start, value: toNode(value) }];
}

function spanOf({ range }: Pick<Node, 'range'>): { readonly start: number; readonly end: number } {
  const [start = 0, end = 0] = range ?? [];
  return { start, end };
}
