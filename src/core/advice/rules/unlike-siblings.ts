// TD020: one server, two spellings. A tool named in another style than its siblings, and the same argument written in two
// ways: an agent that has learnt `per_page` from one tool sends it to the next.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { type DeclaredArgument, declaredArguments } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { type NameStyle, nameStyle, nameWords, spellName } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { countOf, listOf } from '../wording.ts';

/** Share of the names of several words that makes a style the server's: of fewer than four, none is the odd one. */
const MAJORITY = 0.75;
const STYLES: readonly NameStyle[] = ['snake', 'kebab', 'camel', 'pascal'];

export const unlikeSiblings: StaticRule = {
  id: 'TD020',
  level: 'warning',
  title: 'Spelled unlike its siblings',
  condition:
    'A tool name is not in the style of three quarters of the others (a note), or one argument is spelled in two ways by two tools.',
  disprovedBy: 'The two spellings stand for two different things.',
  check: (tools) => [...oddNames(tools), ...oddArguments(tools)],
};

function oddNames(tools: readonly ToolDefinition[]): Observation[] {
  const styled = tools.filter(({ name }) => STYLES.includes(nameStyle(name)));
  const usual = STYLES.find(
    (style) => styled.filter(({ name }) => nameStyle(name) === style).length >= MAJORITY * styled.length,
  );
  if (usual === undefined) return [];
  return styled
    .filter(({ name }) => nameStyle(name) !== usual)
    .map(({ name }) => ({
      tool: name,
      level: 'note' as const,
      finding: `"${name}" is the odd one: ${countOf(styled.length, 'name')} of this server are of several words, most of them in ${usual} case.`,
      evidence: { counts: { names: styled.length }, names: { style: [usual] } },
      suggestion: {
        text: `Spell it in ${usual} case, and keep the old name for a version.`,
        edits: [{ tool: name, pointer: '/name', before: name, after: spellName(nameWords(name), usual) }],
      },
    }));
}

interface Use {
  readonly tool: string;
  readonly argument: DeclaredArgument;
}

function oddArguments(tools: readonly ToolDefinition[]): Observation[] {
  const uses = tools.flatMap(({ name: tool, ...rest }) =>
    declaredArguments({ name: tool, ...rest })
      .filter(({ depth }) => depth === 0)
      .map((argument): Use => ({ tool, argument })),
  );
  const groups = groupBy(uses, ({ argument }) => nameWords(argument.name).join(' '));
  return [...groups.values()].flatMap(observeSpellings);
}

function observeSpellings(uses: readonly Use[]): Observation[] {
  const spellings = [...groupBy(uses, ({ argument }) => argument.name)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const [[usual, most] = ['', []], ...others] = spellings;
  return others.map(([spelling, rare]) => ({
    tool: rare.length === 1 ? (rare[0]?.tool ?? '') : '',
    argument: spelling,
    finding: `The argument "${spelling}" of ${listOf(rare.map(({ tool }) => tool))} is spelled "${usual}" by ${listOf(most.map(({ tool }) => tool))}.`,
    evidence: {
      counts: { tools: rare.length, siblings: most.length },
      names: {
        spellings: [spelling, usual],
        tools: rare.map(({ tool }) => tool),
        siblings: most.map(({ tool }) => tool),
      },
    },
    suggestion: {
      text: `Spell it "${usual}" everywhere, and take the old spelling too for a version.`,
      edits: rare.map(({ tool, argument }) => ({
        tool,
        pointer: argument.pointer.replace(/[^/]+$/, usual),
        after: argument.schema,
      })),
    },
  }));
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
