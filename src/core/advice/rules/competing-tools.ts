// Tools that an agent has to choose between, and nothing tells it how: equal verbs and arguments (TD047), two ways to find the
// same things (TD048).

import type { ToolDefinition } from '../../model/catalogue.ts';
import { declaredArguments } from '../declared-arguments.ts';
import { isDeprecated, stem } from '../description-words.ts';
import type { Observation } from '../finding.ts';
import { nameWords, wordSet } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';
import { overlappingTools } from './overlapping-tools.ts';

/** A tool as its name says: what is done, and to what. */
interface NamedTool {
  readonly tool: ToolDefinition;
  readonly verb: string;
  /** Stems of the other words, in order. */
  readonly object: readonly string[];
}

/** Words that do not say which of two tools it is. */
const VAGUE = wordSet(
  'all detail info information data full complete list result item entry content new advanc simpl basic extend enhanc quick v2 v3 2 3',
);

export const equalSiblings: StaticRule = {
  id: 'TD047',
  level: 'note',
  pedantic: true,
  title: 'Siblings that do not name each other',
  condition:
    'Two tools have the same verb, the same object but for words such as `all`, `details` or `advanced`, and the same arguments, and neither description names the other.',
  disprovedBy: 'Agents do not switch from one to the other and then succeed.',
  check: (tools) => {
    const similar = new Set(overlappingTools.check(tools).map(({ names }) => names?.['tools']?.join()));
    return pairsOf(tools)
      .filter(([one, other]) => one.verb === other.verb && haveSameObject(one, other, VAGUE))
      .filter(([one, other]) => argumentNames(one.tool) === argumentNames(other.tool))
      .filter(([one, other]) => !similar.has([one.tool.name, other.tool.name].join()))
      .map(([one, other]) => toObservation(one.tool, other.tool, 'have the same verb, object and arguments'));
  },
};

/** Verbs that look for things by different means; which is better an agent cannot know from the name. */
const FINDING_VERBS = wordSet('search find query lookup list browse');

export const competingFinders: StaticRule = {
  id: 'TD048',
  level: 'note',
  pedantic: true,
  title: 'Two ways to find the same things',
  condition:
    'Two tools look for the same object by different verbs (`list`, `search`, `find`, `query`), both or neither by a text, and neither description says when to use it or names the other.',
  disprovedBy: 'Agents take the right one at once.',
  check: (tools) =>
    pairsOf(tools)
      .filter(
        ([one, other]) =>
          one.verb !== other.verb && FINDING_VERBS.has(one.verb) && FINDING_VERBS.has(other.verb),
      )
      .filter(([one, other]) => haveSameObject(one, other, NO_WORDS))
      .filter(([one, other]) => takesSearchText(one.tool) === takesSearchText(other.tool))
      .filter(([one, other]) => !statesWhen(one.tool) && !statesWhen(other.tool))
      .map(([one, other]) => toObservation(one.tool, other.tool, 'look for the same things')),
};

/** Of two tools, the one that takes a text to search by is the one for those who have it. */
const takesSearchText = (tool: ToolDefinition): boolean =>
  declaredArguments(tool).some(({ name }) =>
    /^(?:query|q|search|text|term|keywords?|name|pattern|filter)$/i.test(name),
  );

const NO_WORDS: ReadonlySet<string> = new Set();

/** Says when to use it, or when not. */
const WHEN =
  /\b(?:when(?:ever)?|instead|rather than|prefer|avoid|unless|only (?:if|for|when)|if (?:you|the)|use (?:this|it) (?:to|for|if|tool)|useful|before|after|without)\b/i;

const statesWhen = ({ description = '' }: ToolDefinition): boolean => WHEN.test(description);

/** Every pair whose descriptions do not name the other. */
function pairsOf(tools: readonly ToolDefinition[]): [NamedTool, NamedTool][] {
  const named = tools.filter((tool) => !isDeprecated(tool)).flatMap(toNamedTool);
  return named.flatMap((one, at) =>
    named
      .slice(at + 1)
      .filter((other) => !mentions(one.tool, other.tool) && !mentions(other.tool, one.tool))
      .map((other): [NamedTool, NamedTool] => [one, other]),
  );
}

function toNamedTool(tool: ToolDefinition): NamedTool[] {
  const verb = actionOf(tool.name)?.verb;
  if (verb === undefined) return [];
  const object = nameWords(tool.name)
    .filter((word) => word !== verb)
    .map(stem);
  return object.length === 0 ? [] : [{ tool, verb, object }];
}

function haveSameObject(one: NamedTool, other: NamedTool, vague: ReadonlySet<string>): boolean {
  const [mine, theirs] = [one, other].map(({ object }) =>
    object.filter((word) => !vague.has(word)).join(' '),
  );
  return mine !== '' && mine === theirs;
}

const argumentNames = (tool: ToolDefinition): string =>
  declaredArguments(tool)
    .filter(({ depth }) => depth === 0)
    .map(({ name }) => name)
    .sort()
    .join();

const mentions = ({ description = '' }: ToolDefinition, { name }: ToolDefinition): boolean =>
  description.toLowerCase().replace(/[-_]/g, '').includes(name.toLowerCase().replace(/[-_]/g, ''));

const toObservation = (one: ToolDefinition, other: ToolDefinition, why: string): Observation => ({
  tool: one.name,
  finding: `"${one.name}" and "${other.name}" ${why}, and neither says when to use the other.`,
  counts: {},
  names: { tools: [one.name, other.name] },
  suggestion: 'Say in each when to use the other one instead, or merge them.',
  edits: [
    [one, other],
    [other, one],
  ].flatMap(([tool, instead]) =>
    tool === undefined || instead === undefined
      ? []
      : [
          {
            tool: tool.name,
            pointer: '/description',
            before: tool.description,
            after: `${tool.description?.trim().replace(/\.?$/, '.') ?? ''} Use ${instead.name} instead when <…>.`,
          },
        ],
  ),
});
