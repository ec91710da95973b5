// A configuration file as a tree whose nodes know their place in the text, so that an edit changes nothing else. The same for JSON
// with comments, YAML and TOML.

import { UserError } from '../../errors.ts';

/** Offsets into the text: `start` of the first character, `end` after the last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ConfigMember {
  readonly name: string;
  /** Where the name starts; a file that sets it as a part of a longer key has the start of that key. */
  readonly start: number;
  readonly value: ConfigNode;
}

export type ConfigNode =
  | (Span & { readonly kind: 'object'; readonly members: readonly ConfigMember[] })
  /** `block`: YAML's list with one dash per line. */
  | (Span & { readonly kind: 'array'; readonly items: readonly ConfigNode[]; readonly isBlock: boolean })
  | (Span & { readonly kind: 'string'; readonly text: string })
  | (Span & { readonly kind: 'other' });

export interface ConfigTree {
  readonly text: string;
  readonly root: ConfigNode;
  readonly format: ConfigFormat;
}

export type ConfigFormat = 'json' | 'yaml' | 'toml';

/** A list of strings as words; undefined if it has anything else. */
export function toWords(node: ConfigNode | undefined): readonly string[] | undefined {
  if (node?.kind !== 'array') return undefined;
  const words = node.items.flatMap((item) => (item.kind === 'string' ? [item.text] : []));
  return words.length === node.items.length ? words : undefined;
}

export function findMember(node: ConfigNode | undefined, name: string): ConfigMember | undefined {
  return node?.kind === 'object' ? node.members.find((member) => member.name === name) : undefined;
}

/** @returns the error of a file that cannot be read, with the line */
export function createSyntaxError(text: string, at: number, expected: string): UserError {
  const line = text.slice(0, at).split('\n').length;
  return new UserError('INVALID_PARAMETER', `Line ${line}: expected ${expected}.`);
}
