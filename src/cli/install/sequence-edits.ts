// Edits of a list of strings, in the style in which it is written. A string of JSON is one of YAML and of TOML, too.

import type { ConfigMember, ConfigNode, ConfigTree } from './config-tree.ts';
import type { TextEdit } from './text-edit.ts';

type ArrayNode = Extract<ConfigNode, { readonly kind: 'array' }>;

const formatItem = (word: string): string => JSON.stringify(word);

/** Puts words at the start of a list: on lines of their own where the first item has one. */
export function insertFirst(tree: ConfigTree, list: ArrayNode, words: readonly string[]): TextEdit {
  const [first] = list.items;
  const items = words.map(formatItem);
  if (list.isBlock && first !== undefined) {
    const at = startOfLine(tree.text, first.start);
    const prefix = tree.text.slice(at, first.start);
    return insertAt(at, items.map((item) => `${prefix}${item}${endOfLine(tree.text)}`).join(''));
  }
  if (first === undefined) return insertAt(list.start + 1, items.join(', '));
  const indent = indentOf(tree.text, first.start);
  const separator = indent === undefined ? ', ' : `,${endOfLine(tree.text)}${indent}`;
  return insertAt(first.start, items.map((item) => `${item}${separator}`).join(''));
}

/** Takes words from the start of a list; what stands before the first one that stays, goes with them. */
export function removeFirst({ text }: ConfigTree, list: ArrayNode, count: number): TextEdit {
  const [first, next, last] = [list.items[0], list.items[count], list.items[count - 1]];
  const start = first?.start ?? list.start;
  if (!list.isBlock) return { start, end: next?.start ?? last?.end ?? start, text: '' };
  if (next === undefined) return { start: list.start, end: list.end, text: '[]' };
  return { start: startOfLine(text, start), end: startOfLine(text, next.start), text: '' };
}

/** Adds a member `args` after the member `command`. */
export function insertMember(
  { text, format }: ConfigTree,
  { start, value }: ConfigMember,
  words: readonly string[],
): TextEdit {
  const list = `[${words.map(formatItem).join(', ')}]`;
  // The key of TOML may have more parts: `files.command = …`.
  const tomlKey = text.slice(start, value.start).replace(/(["']?)\w+\1(\s*=\s*)$/, 'args$2');
  const member = { json: `"args": ${list}`, yaml: `args: ${list}`, toml: `${tomlKey}${list}` }[format];
  const indent = indentOf(text, start);
  if (indent === undefined) return insertAt(value.end, `, ${member}`);
  const line = `${endOfLine(text)}${indent}${member}`;
  // In JSON a comma may follow the value; in the others a comment may, and ends with the line.
  if (format === 'json') return insertAt(value.end, `,${line}`);
  const end = text.indexOf('\n', value.end);
  return insertAt(end === -1 ? text.length : text[end - 1] === '\r' ? end - 1 : end, line);
}

const insertAt = (at: number, text: string): TextEdit => ({ start: at, end: at, text });

const startOfLine = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

/** The white space before a place; undefined when something else stands before it on the line. */
function indentOf(text: string, at: number): string | undefined {
  const before = text.slice(startOfLine(text, at), at);
  return /^\s*$/.test(before) ? before : undefined;
}

const endOfLine = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
