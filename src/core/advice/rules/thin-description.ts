// TD005: short descriptions that say what the tools do and nothing around it. One finding for the server, because it is a
// habit: one tool of many is a slip. What an output schema says need not be said again; tools that only act (`click`) have
// little to tell of a result, and those that list or count have told it with their verb.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { declaredArguments } from '../declared-arguments.ts';
import { analyseDescription } from '../description-words.ts';
import { formatList, formatNounCount } from '../format-counts.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';
import { descriptionRepeatsName } from './description-repeats-name.ts';

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
    evidence: { counts: { tools: names.length, toolsListed: all }, names: { tools: names } },
    suggestion: {
      text: 'Add when to use it, when not (and what instead), and what comes back; begin with those that are called most.',
      edits: thin.map(({ name, description = '' }) => ({
        tool: name,
        pointer: '/description',
        before: description,
        after: `${description.trim().replace(/\.?$/, '.')} Use it when <…>; not when <…>. Returns <…>.`,
      })),
    },
  };
}
