// What `install` and `install --undo` make of a configuration. Pure: text in, text out.

import type { McpClient } from './clients.ts';
import { listEntries } from './server-entries.ts';
import { type Launcher, stateOf, unwrapEntries, wrapEntries } from './wrap-entries.ts';

export interface ConfigChange {
  readonly text: string;
  /** What undoing gives from then on; undefined when nothing is wrapped any more. */
  readonly original: string | undefined;
}

interface ChangeOptions {
  /** The text before the first change; undefined when there is none, or the file was edited since. */
  readonly backup: string | undefined;
  readonly isChosen: (name: string) => boolean;
}

type Format = Pick<McpClient, 'parse' | 'containers'>;

/** Wraps the chosen servers. */
export function planInstall(
  text: string,
  { parse, containers }: Format,
  { backup, isChosen, launcher }: ChangeOptions & { readonly launcher: Launcher },
): ConfigChange {
  return {
    text: wrapEntries(parse(text), containers, { isChosen, launcher }),
    original: backup ?? unwrapEntries(parse(text), containers, () => true),
  };
}

/** Unwraps the chosen servers: with a backup, the last one gives the very bytes that were there before. */
export function planUndo(
  text: string,
  { parse, containers }: Format,
  { backup, isChosen }: ChangeOptions,
): ConfigChange {
  const unwrapped = unwrapEntries(parse(text), containers, isChosen);
  const isAnyLeft = listEntries(parse(unwrapped), containers).some((entry) => stateOf(entry) === 'wrapped');
  if (!isAnyLeft) return { text: backup ?? unwrapped, original: undefined };
  return { text: unwrapped, original: backup ?? unwrapEntries(parse(text), containers, () => true) };
}
