// TD020: one server, two spellings. A tool named in another style than its siblings, and the same argument written in two
// ways: an agent that has learnt `per_page` from one tool sends it to the next.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { type DeclaredArgument, declaredArguments } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { formatList, formatNounCount } from '../format-counts.ts';
import { type NameStyle, nameStyle, nameWords, spellName } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';

/** Share of the names of several words that makes a style the server's: of fewer than four, none is the odd one. */
const MIN_MAJORITY = 0.75;
const STYLES: readonly NameStyle[] = ['snake', 'kebab', 'camel', 'pascal'];

export const inconsistentSpelling: StaticRule = {
  id: 'TD020',
  level: 'warning',
  title: 'Inconsistent spelling',
  condition:
    'A tool name is not in the style of three quarters of the others (a note), or one argument is spelled in two ways by two tools.',
  disprovedBy: 'The two spellings stand for two different things.',
  check: (tools) => [...checkToolNames(tools), ...checkArgumentNames(tools)],
};

function checkToolNames(tools: readonly ToolDefinition[]): Observation[] {
  const styled = tools.filter(({ name }) => STYLES.includes(nameStyle(name)));
  const usual = STYLES.find(
    (style) => styled.filter(({ name }) => nameStyle(name) === style).length >= MIN_MAJORITY * styled.length,
  );
  if (usual === undefined) return [];
  return styled
    .filter(({ name }) => nameStyle(name) !== usual)
    .map(({ name }) => ({
      tool: name,
      level: 'note' as const,
      finding: `"${name}" is the odd one: ${formatNounCount(styled.length, 'name')} of this server are of several words, most of them in ${usual} case.`,
      counts: { names: styled.length },
      names: { style: [usual] },
      suggestion: `Spell it in ${usual} case, and keep the old name for a version.`,
      edits: [{ tool: name, pointer: '/name', before: name, after: spellName(nameWords(name), usual) }],
    }));
}

interface ArgumentUse {
  readonly tool: string;
  readonly argument: DeclaredArgument;
}

function checkArgumentNames(tools: readonly ToolDefinition[]): Observation[] {
  const uses = tools.flatMap(({ name: tool, ...rest }) =>
    declaredArguments({ name: tool, ...rest })
      .filter(({ depth }) => depth === 0)
      .map((argument): ArgumentUse => ({ tool, argument })),
  );
  const groups = groupBy(uses, ({ argument }) => nameWords(argument.name).join(' '));
  return [...groups.values()].flatMap(toSpellingObservations);
}

function toSpellingObservations(uses: readonly ArgumentUse[]): Observation[] {
  const spellings = [...groupBy(uses, ({ argument }) => argument.name)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const [[usual, usualUses] = ['', []], ...others] = spellings;
  return others.map(([spelling, rareUses]) => ({
    tool: rareUses.length === 1 ? (rareUses[0]?.tool ?? '') : '',
    argument: spelling,
    finding: `The argument "${spelling}" of ${formatList(rareUses.map(({ tool }) => tool))} is spelled "${usual}" by ${formatList(usualUses.map(({ tool }) => tool))}.`,
    counts: { tools: rareUses.length, siblings: usualUses.length },
    names: {
      spellings: [spelling, usual],
      tools: rareUses.map(({ tool }) => tool),
      siblings: usualUses.map(({ tool }) => tool),
    },
    suggestion: `Spell it "${usual}" everywhere, and take the old spelling too for a version.`,
    edits: rareUses.map(({ tool, argument }) => ({
      tool,
      pointer: argument.pointer.replace(/[^/]+$/, usual),
      after: argument.schema,
    })),
  }));
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
