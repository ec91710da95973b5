// The MCP servers of a configuration: their command lines, and the edits that put words before one or take them away again.

import { type ConfigMember, type ConfigNode, type ConfigTree, findMember, toWords } from './config-tree.ts';
import { insertFirst, insertMember, removeFirst } from './sequence-edits.ts';
import type { TextEdit } from './text-edit.ts';

export interface ServerEntry {
  readonly name: string;
  /** Command and arguments; undefined where there are none to change, e.g. for a server with a URL. */
  readonly words: readonly string[] | undefined;
  /** The edits that put words before the command line. */
  readonly prepend: (words: readonly string[]) => readonly TextEdit[];
  /** The edits that take that many words off the front. */
  readonly drop: (count: number) => readonly TextEdit[];
}

/** Where a client keeps its servers; `*` stands for any name. */
export type ContainerPath = readonly string[];

export function listEntries(tree: ConfigTree, containers: readonly ContainerPath[]): readonly ServerEntry[] {
  return containers
    .flatMap((path) => findNodes(tree.root, path))
    .flatMap((node) => (node.kind === 'object' ? node.members : []))
    .map((member) => toEntry(tree, member));
}

function findNodes(node: ConfigNode, [name, ...rest]: ContainerPath): readonly ConfigNode[] {
  if (name === undefined) return [node];
  const members = node.kind === 'object' ? node.members : [];
  return members
    .filter((member) => name === '*' || member.name === name)
    .flatMap(({ value }) => findNodes(value, rest));
}

function toEntry(tree: ConfigTree, { name, value }: ConfigMember): ServerEntry {
  const command = findMember(value, 'command') ?? findMember(value, 'cmd');
  const none: ServerEntry = { name, words: undefined, prepend: () => [], drop: () => [] };
  if (command === undefined) return none;
  if (command.value.kind === 'array') return toListEntry(tree, name, command.value) ?? none;
  // Older settings of Zed: `command` has the path and the arguments.
  if (command.value.kind === 'object') return toSplitEntry(tree, name, command.value, 'path') ?? none;
  return toSplitEntry(tree, name, value, command.name) ?? none;
}

type ArrayNode = Extract<ConfigNode, { readonly kind: 'array' }>;

/** Command and arguments in one list. */
function toListEntry(tree: ConfigTree, name: string, list: ArrayNode): ServerEntry | undefined {
  const words = toWords(list);
  if (words === undefined || words.length === 0) return undefined;
  return {
    name,
    words,
    prepend: (added) => [insertFirst(tree, list, added)],
    drop: (count) => [removeFirst(tree, list, count)],
  };
}

/** A command, and a list of arguments or none. */
function toSplitEntry(
  tree: ConfigTree,
  name: string,
  owner: ConfigNode,
  commandName: string,
): ServerEntry | undefined {
  const command = findMember(owner, commandName);
  const args = findMember(owner, 'args')?.value;
  const given = args === undefined ? [] : toWords(args);
  if (command?.value.kind !== 'string' || given === undefined) return undefined;
  const { value } = command;
  const words = [value.text, ...given];
  const replaceCommand = (text: string): TextEdit => ({
    start: value.start,
    end: value.end,
    text: JSON.stringify(text),
  });
  return {
    name,
    words,
    prepend([first = '', ...rest]) {
      const added = [...rest, value.text];
      const list =
        args?.kind === 'array' ? insertFirst(tree, args, added) : insertMember(tree, command, added);
      return [replaceCommand(first), list];
    },
    drop(count) {
      const list = args?.kind === 'array' ? [removeFirst(tree, args, count)] : [];
      return [replaceCommand(words[count] ?? ''), ...list];
    },
  };
}
