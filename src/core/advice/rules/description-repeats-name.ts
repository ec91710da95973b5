// TD004: a description without one word of its own: what the name says, said again.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { analyseDescription, stem, subjectWords } from '../description-words.ts';
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
      evidence: {
        counts: { descriptionWords: analyseDescription(description).words },
        names: { words: [...subjectWords(description)] },
      },
      suggestion: {
        text: 'Say when to use it and when not, and what it returns.',
        edits: [
          {
            tool: name,
            pointer: '/description',
            before: description,
            after: `${description.trim().replace(/\.?$/, '.')} Use it when <…>; not when <…>. Returns <…>.`,
          },
        ],
      },
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
