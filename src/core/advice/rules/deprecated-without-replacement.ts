// TD042: a deprecated tool that does not say what to call instead.

import { isDeprecated } from '../description-words.ts';
import type { StaticRule } from '../rule.ts';

const REPLACEMENT =
  /\b(?:use|see|prefer|call|try|instead|replaced|superseded|in favou?r of|migrate|switch)\b/i;

export const deprecatedWithoutReplacement: StaticRule = {
  id: 'TD042',
  level: 'note',
  pedantic: true,
  title: 'Deprecated without a replacement',
  condition:
    'The description says that the tool is deprecated, and neither what to use instead nor the name of another tool.',
  disprovedBy: 'There is nothing to use instead, and the description says so.',
  check: (tools) =>
    tools
      .filter((tool) => isDeprecated(tool))
      .filter(({ name, description = '' }) => {
        const others = tools.filter((other) => other.name !== name && description.includes(other.name));
        return others.length === 0 && !REPLACEMENT.test(description);
      })
      .map(({ name, description = '' }) => ({
        tool: name,
        finding: `"${name}" is deprecated, and its description does not say what to call instead.`,
        counts: {},
        names: { tools: [name] },
        suggestion: 'Name the tool to call instead, or stop listing this one.',
        edits: [
          {
            tool: name,
            pointer: '/description',
            before: description,
            after: `${description.trim().replace(/([^.])$/, '$1.')} Use <tool> instead.`,
          },
        ],
      })),
};
