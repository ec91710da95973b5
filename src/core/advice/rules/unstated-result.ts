// TD049: a tool that checks, compares or computes, and nothing says what it answers with. "Get the issue" answers with the issue;
// "Validate the file" may answer with a boolean, a list of problems or an error.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { analyseDescription } from '../description-words.ts';
import { wordSet } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

/** Verbs whose answer is not their object. */
const UNCLEAR_VERBS = wordSet(
  `check inspect validate explain estimate compare analyze analyse scan diff detect measure audit lint
   test assess examine`,
);
/** What it finds or computes is what it answers with. */
const STATES_ANSWER =
  /\b(?:whether|if|find(?:s|ing)?|identif\w+|report\w*|score|list(?:s|ing)?|show\w*|get(?:s|ting)?|detect\w*|determin\w+|with|provid\w+|true|status|differences?|errors?|issues?|see|what|which|how)\b|:/i;

export const unstatedResult: StaticRule = {
  id: 'TD049',
  level: 'note',
  pedantic: true,
  title: 'No word about the answer',
  condition:
    'The name says that it checks, compares, analyses or tests, the description has no word about what comes back, and there is no output schema.',
  disprovedBy: 'The answer is the object itself.',
  check: (tools) =>
    tools.filter(isUnstated).map(({ name, description = '' }) => ({
      tool: name,
      finding: `Nothing says what "${name}" answers with, and its verb does not either.`,
      counts: { descriptionWords: analyseDescription(description).words },
      names: { verb: [actionOf(name)?.verb ?? ''] },
      suggestion: 'Say what comes back, or declare an output schema.',
      edits: [
        {
          tool: name,
          pointer: '/description',
          before: description,
          after: `${description.trim().replace(/\.?$/, '.')} Returns <…>.`,
        },
      ],
    })),
};

function isUnstated({ name, description = '', outputSchema }: ToolDefinition): boolean {
  const { words, isLatinScript, statesResult } = analyseDescription(description);
  if (outputSchema !== undefined || words === 0 || !isLatinScript || statesResult) return false;
  const verb = actionOf(name)?.verb ?? '';
  return UNCLEAR_VERBS.has(verb) && !STATES_ANSWER.test(description);
}
