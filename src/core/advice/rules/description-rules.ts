// Rules about descriptions: none (TD003), one that repeats the name (TD004), one that says too little (TD005).

import type { ToolDefinition } from '../../model/catalogue.ts';
import { declaredArguments } from '../declared-arguments.ts';
import { analyseDescription, stem, subjectWords } from '../description-words.ts';
import { formatList, formatNounCount } from '../format-counts.ts';
import { nameWords } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

export const descriptionRepeatsName: StaticRule = {
  id: 'TD004',
  level: 'warning',
  title: 'Description repeats the name',
  condition:
    'The description has no word of substance that the name does not have, begins with no verb of another kind than the name does, and there is no output schema.',
  disprovedBy: 'The description tells a person who knows only the name something new.',
  check: (tools) =>
    tools.filter(repeatsName).map(({ name, description = '' }) => ({
      tool: name,
      finding: `The description of "${name}" says nothing that its name does not: "${description.trim().slice(0, 80)}".`,
      counts: { descriptionWords: analyseDescription(description).words },
      names: { words: [...subjectWords(description)] },
      suggestion: 'Say when to use it and when not, and what it returns.',
      edits: [
        {
          tool: name,
          pointer: '/description',
          before: description,
          after: `${description.trim().replace(/\.?$/, '.')} Use it when <…>; not when <…>. Returns <…>.`,
        },
      ],
    })),
};

/** `build_info`, "Gets …": a verb of another kind than the name has, or seems to have, is news. */
function addsVerb(name: string, description: string): boolean {
  const [said = ''] = /^[a-z]+/i.exec(description.trim()) ?? [];
  const verb = actionOf(said);
  if (verb === undefined || nameWords(name).map(stem).includes(stem(said.toLowerCase()))) return false;
  const kind = /^returns?$/i.test(said) ? 'read' : verb.kind;
  return kind !== actionOf(name)?.kind;
}

function repeatsName({ name, description = '', outputSchema }: ToolDefinition): boolean {
  const { words, isLatinScript } = analyseDescription(description);
  if (words === 0 || words > 10 || !isLatinScript || outputSchema !== undefined) return false;
  if (addsVerb(name, description)) return false;
  const known = new Set(nameWords(name).map(stem));
  return [...subjectWords(description)].every((word) => known.has(word));
}

/** Words; a longer one says something else that was worth saying. */
const MAX_SHORT_WORDS = 14;
/** Of the tools listed, before it is a habit. */
const MIN_SHARE = 0.25;

export const thinDescription: StaticRule = {
  id: 'TD005',
  level: 'note',
  title: 'Descriptions without when and what',
  condition: `At least ${100 * MIN_SHARE} % of the descriptions have at most ${MAX_SHORT_WORDS} words that say neither when to use the tool (or when not) nor what it returns, no output schema, and a name that says it reads or writes something, not just lists or counts it.`,
  disprovedBy: 'Agents choose the tools when they should, and do not misread what comes back.',
  check: (tools) => {
    const repeated = new Set(descriptionRepeatsName.check(tools).map(({ tool }) => tool));
    const thin = tools.filter((tool) => isThin(tool) && !repeated.has(tool.name));
    return thin.length === 0 || thin.length < MIN_SHARE * tools.length
      ? []
      : [toObservation(thin, tools.length)];
  },
};

function isThin(tool: ToolDefinition): boolean {
  const { words, isLatinScript, statesUsage, statesResult } = analyseDescription(tool.description ?? '');
  if (words === 0 || words > MAX_SHORT_WORDS || !isLatinScript || statesUsage || statesResult) return false;
  const action = actionOf(tool.name);
  if (action === undefined || action.kind === 'act' || !action.hasObject) return false;
  if (action.verb === 'list' || action.verb === 'count') return false;
  return tool.outputSchema === undefined && declaredArguments(tool).length > 0;
}

function toObservation(thin: readonly ToolDefinition[], all: number) {
  const names = thin.map(({ name }) => name);
  const [first = ''] = names;
  return {
    tool: names.length === 1 ? first : '',
    finding: `${names.length} of ${formatNounCount(all, 'description')} (${formatList(names)}) say in ${MAX_SHORT_WORDS} words or fewer what the tool does, but neither when to use it nor what it returns.`,
    counts: { tools: names.length, toolsListed: all },
    names: { tools: names },
    suggestion:
      'Add when to use it, when not (and what instead), and what comes back; begin with those that are called most.',
    edits: thin.map(({ name, description = '' }) => ({
      tool: name,
      pointer: '/description',
      before: description,
      after: `${description.trim().replace(/\.?$/, '.')} Use it when <…>; not when <…>. Returns <…>.`,
    })),
  };
}

export const missingDescription: StaticRule = {
  id: 'TD003',
  level: 'error',
  title: 'No description',
  condition: 'The description is missing or blank.',
  disprovedBy: 'The listing that clients get has a description.',
  check: (tools) =>
    tools
      .filter(({ description = '' }) => description.trim() === '')
      .map(({ name }) => ({
        tool: name,
        finding: `"${name}" has no description: an agent can only guess from the name when to call it and what comes back.`,
        counts: { descriptionCharacters: 0 },
        suggestion: 'Say what it does, when to use it and when not, and what it returns.',
        edits: [
          {
            tool: name,
            pointer: '/description',
            after: '<What it does>. Use it when <…>; not when <…>. Returns <…>.',
          },
        ],
      })),
};
