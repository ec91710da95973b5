// Every attack of this folder, by subject.
import { readdir } from 'node:fs/promises';
import type { Attack, AttackSize } from './attack.ts';

export type AttackGroup = { readonly subject: string; readonly attacks: readonly Attack[] };

/**
 * Imports each `<subject>.attack.ts` of this folder.
 * @returns one group a file, in the files' order, with the attacks that run in this size; none where none do
 */
export async function readAttacks(size: AttackSize): Promise<readonly AttackGroup[]> {
  const names = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.attack.ts')).sort();
  const groups = await Promise.all(names.map((name) => readGroup(name, size)));
  return groups.filter(({ attacks }) => attacks.length > 0);
}

async function readGroup(name: string, size: AttackSize): Promise<AttackGroup> {
  const file: { readonly attacks: readonly Attack[] } = await import(`./${name}`);
  return {
    subject: name.replace('.attack.ts', ''),
    attacks: file.attacks.filter(({ sizes }) => sizes === undefined || sizes.includes(size)),
  };
}
