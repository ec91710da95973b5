// Rewrites the servers of a configuration so that they run under `toolscope wrap`, and back.

import { basename } from 'node:path';
import type { ConfigTree } from './config-tree.ts';
import { type ContainerPath, listEntries, type ServerEntry } from './server-entries.ts';
import { applyEdits } from './text-edit.ts';

/** How a server runs: `wrapped` by `install`, `own` under a `toolscope wrap` written by hand, `url` without a command line. */
export type EntryState = 'plain' | 'wrapped' | 'own' | 'url';

/** What starts `toolscope`: absolute paths of Node and of its command line, because clients have other search paths. */
export interface Launcher {
  readonly node: string;
  readonly script: string;
}

/** @returns the words that `install` puts before a command line */
const toPrefix = ({ node, script }: Launcher, name: string): readonly string[] => [
  ...[node, script, 'wrap', '--name', name, '--'],
];

/** Length of the prefix, which is the same for each server. */
const PREFIX_WORDS = 6;

const SCRIPT = /[\\/]cli[\\/]main\.js$/;

export function stateOf({ words }: ServerEntry): EntryState {
  if (words === undefined) return 'url';
  const [, script = '', verb, option, , separator] = words;
  if (SCRIPT.test(script) && verb === 'wrap' && option === '--name' && separator === '--') return 'wrapped';
  const at = words.indexOf('wrap');
  const program = basename(words[at - 1] ?? '').replace(/\.(?:cmd|exe)$/, '');
  const isOwn = at > 0 && (program.startsWith('toolscope') || SCRIPT.test(words[at - 1] ?? ''));
  return isOwn ? 'own' : 'plain';
}

/** @returns the text with the chosen servers wrapped, where they are plain */
export function wrapEntries(
  tree: ConfigTree,
  containers: readonly ContainerPath[],
  { isChosen, launcher }: { readonly isChosen: (name: string) => boolean; readonly launcher: Launcher },
): string {
  const entries = listEntries(tree, containers).filter(
    (entry) => isChosen(entry.name) && stateOf(entry) === 'plain',
  );
  return applyEdits(
    tree.text,
    entries.flatMap((entry) => entry.prepend(toPrefix(launcher, entry.name))),
  );
}

/** @returns the text with the chosen servers as they were before `wrapEntries`, but for white space */
export function unwrapEntries(
  tree: ConfigTree,
  containers: readonly ContainerPath[],
  isChosen: (name: string) => boolean,
): string {
  const entries = listEntries(tree, containers).filter(
    (entry) => isChosen(entry.name) && stateOf(entry) === 'wrapped',
  );
  return applyEdits(
    tree.text,
    entries.flatMap((entry) => entry.drop(PREFIX_WORDS)),
  );
}
