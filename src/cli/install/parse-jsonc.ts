// JSON as MCP clients accept it: with comments, trailing commas and a byte order mark.

import { type ConfigMember, type ConfigNode, type ConfigTree, createSyntaxError } from './config-tree.ts';

const SPACE = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const SCALAR = /[\w.+-]+/y;
const MAX_DEPTH = 100;

/** @throws UserError with the line that is malformed */
export function parseJsonc(text: string): ConfigTree {
  let at = 0;

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  }

  /** Skips white space and comments, then a character if it is there. */
  function skip(character: string): boolean {
    match(SPACE);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  }

  function need(expected: string, isFound: boolean): void {
    if (!isFound) throw createSyntaxError(text, at, expected);
  }

  function readString(): string {
    const start = at;
    const literal = match(STRING);
    if (literal === undefined) throw createSyntaxError(text, start, 'a string in double quotes');
    try {
      return String(JSON.parse(literal.replaceAll('\t', '\\t')));
    } catch {
      throw createSyntaxError(text, start, 'a valid string');
    }
  }

  function readList(close: string, readItem: () => void): void {
    while (!skip(close)) {
      readItem();
      const hasComma = skip(',');
      match(SPACE);
      need(`"," or "${close}"`, hasComma || text[at] === close);
    }
  }

  function readNode(depth: number): ConfigNode {
    need(`at most ${MAX_DEPTH} levels`, depth <= MAX_DEPTH);
    match(SPACE);
    const start = at;
    if (skip('{')) {
      const members: ConfigMember[] = [];
      readList('}', () => members.push(readMember(depth)));
      return { kind: 'object', start, end: at, members };
    }
    if (skip('[')) {
      const items: ConfigNode[] = [];
      readList(']', () => items.push(readNode(depth + 1)));
      return { kind: 'array', start, end: at, items, isBlock: false };
    }
    if (text[at] === '"') return { kind: 'string', text: readString(), start, end: at };
    need('a value', match(SCALAR) !== undefined);
    return { kind: 'other', start, end: at };
  }

  function readMember(depth: number): ConfigMember {
    match(SPACE);
    const start = at;
    const name = readString();
    need('":"', skip(':'));
    return { name, start, value: readNode(depth + 1) };
  }

  const root = readNode(0);
  match(SPACE);
  need('the end of the file', at === text.length);
  return { text, root, format: 'json' };
}
