// TD003: nothing to choose the tool by but its name.

import type { StaticRule } from '../rule.ts';

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
        evidence: { counts: { descriptionCharacters: 0 }, names: {} },
        suggestion: {
          text: 'Say what it does, when to use it and when not, and what it returns.',
          edits: [
            {
              tool: name,
              pointer: '/description',
              after: '<What it does>. Use it when <…>; not when <…>. Returns <…>.',
            },
          ],
        },
      })),
};
