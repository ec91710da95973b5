// As much of TOML 1.0 as it takes to find the strings and lists of a table: all values are scanned, other than strings they are not read.

import { type ConfigMember, type ConfigNode, type ConfigTree, createSyntaxError } from './config-tree.ts';

const BLANK = /[ \t]*/y;
const SPACE = /(?:[\s\uFEFF]|#[^\n]*)*/y;
const BARE_KEY = /[\w-]+/y;
const BASIC = /"(?:[^"\\\n]|\\.)*"/y;
const LITERAL = /'[^'\n]*'/y;
const MULTI_LINE = /"""(?:[^\\]|\\[\s\S])*?"""(?!")|'''[\s\S]*?'''(?!')/y;
/** A date and a time may have a space between them. */
const SCALAR = /\d{4}-\d\d-\d\d \d[^\s,\]}#]*|[^\s,\]}#]+/y;

/** A table while it is read: TOML may add to one from several places. */
interface OpenTable {
  readonly start: number;
  readonly members: Map<string, { readonly start: number; value: ConfigNode | OpenTable }>;
}

/** @throws UserError with the line that is malformed */
export function parseToml(text: string): ConfigTree {
  let at = 0;
  const root: OpenTable = { start: 0, members: new Map() };

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  }

  function skip(token: string, space = BLANK): boolean {
    match(space);
    if (!text.startsWith(token, at)) return false;
    at += token.length;
    return true;
  }

  function need(expected: string, isFound: boolean): void {
    if (!isFound) throw createSyntaxError(text, at, expected);
  }

  function readKey(): readonly string[] {
    const names: string[] = [];
    do {
      match(BLANK);
      const quoted = match(BASIC) ?? match(LITERAL);
      const name = quoted === undefined ? match(BARE_KEY) : unquote(quoted);
      if (name === undefined) throw createSyntaxError(text, at, 'a key');
      names.push(name);
    } while (skip('.'));
    return names;
  }

  function readList(close: string, readItem: () => void): void {
    while (!skip(close, SPACE)) {
      readItem();
      const hasComma = skip(',', SPACE);
      match(SPACE);
      need(`"," or "${close}"`, hasComma || text.startsWith(close, at));
    }
  }

  function readValue(): ConfigNode {
    match(BLANK);
    const start = at;
    if (match(MULTI_LINE) !== undefined) return { kind: 'other', start, end: at };
    const quoted = match(BASIC) ?? match(LITERAL);
    if (quoted !== undefined) return { kind: 'string', text: unquote(quoted), start, end: at };
    if (skip('[')) {
      const items: ConfigNode[] = [];
      readList(']', () => {
        match(SPACE);
        items.push(readValue());
      });
      return { kind: 'array', start, end: at, items, isBlock: false };
    }
    if (skip('{')) {
      const table: OpenTable = { start, members: new Map() };
      readList('}', () => readAssignment(table));
      return toNode(table);
    }
    need('a value', match(SCALAR) !== undefined);
    return { kind: 'other', start, end: at };
  }

  function readAssignment(table: OpenTable): void {
    match(SPACE);
    const start = at;
    const names = readKey();
    need('"="', skip('='));
    const owner = openTable(table, names.slice(0, -1), start);
    owner.members.set(names.at(-1) ?? '', { start, value: readValue() });
  }

  function readHeader(): OpenTable {
    const start = at - 1;
    const isList = skip('[');
    const names = readKey();
    need('"]"', skip(isList ? ']]' : ']'));
    // A list of tables names no server; its members are read into a table that is not kept.
    return isList ? { start, members: new Map() } : openTable(root, names, start);
  }

  let table = root;
  for (match(SPACE); at < text.length; match(SPACE)) {
    if (skip('[')) table = readHeader();
    else readAssignment(table);
  }
  return { text, root: toNode(root), format: 'toml' };
}

function openTable(from: OpenTable, names: readonly string[], start: number): OpenTable {
  return names.reduce((table, name) => {
    const known = table.members.get(name)?.value;
    if (known !== undefined && 'members' in known && known.members instanceof Map) return known as OpenTable;
    const opened: OpenTable = { start, members: new Map() };
    // An inline table is complete: whatever adds to it is malformed, and is not kept.
    if (known === undefined) table.members.set(name, { start, value: opened });
    return opened;
  }, from);
}

function toNode({ start, members }: OpenTable): ConfigNode {
  const list = [...members].map(
    ([name, { start: at, value }]): ConfigMember => ({
      name,
      start: at,
      value: 'kind' in value ? value : toNode(value),
    }),
  );
  return { kind: 'object', start, end: start, members: list };
}

/** TOML's escapes are those of JSON, and `\U` and `\e` beside them. */
function unquote(quoted: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  const json = quoted
    .replaceAll(/\\U([0-9A-Fa-f]{8})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll('\\e', '\\u001b')
    .replaceAll('\t', '\\t');
  try {
    return String(JSON.parse(json));
  } catch {
    return quoted.slice(1, -1);
  }
}
