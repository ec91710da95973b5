// TD050: a hint that a tool stays in a closed world, on one that plainly goes out into the open one. Clients ask less before such
// a call, and trust its answer more.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { declaredArguments } from '../declared-arguments.ts';
import { nameWords } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';

/** Pages, mail and messages of anyone. */
const LEAVES_BY_NAME =
  /\b(?:web|internet|crawl|scrape|scraper|webpage|website|browse|navigate|email|mail|tweet|sms)\b/;
const LEAVES_BY_DESCRIPTION =
  /\b(?:search(?:es)? the (?:web|internet)|(?:fetch|scrape|crawl|visit|open|load)(?:e?s)? (?:a|an|any|the) (?:url|web ?page|web ?site)|sends? an? (?:e-?mail|sms|text message))\b/i;

export const openWorldDenied: StaticRule = {
  id: 'TD050',
  level: 'note',
  pedantic: true,
  title: 'Closed world, and the tool goes out',
  condition:
    '`openWorldHint: false` on a tool that reads web pages or the web, or sends mail or messages, by its name and its description or arguments.',
  disprovedBy: 'It reaches only addresses that the server’s author knows.',
  check: (tools) =>
    tools
      .filter((tool) => tool.annotations?.openWorldHint === false && leavesMachine(tool))
      .map(({ name }) => ({
        tool: name,
        finding: `"${name}" has \`openWorldHint: false\`, and it goes out to addresses that nobody listed.`,
        counts: {},
        names: { hint: ['openWorldHint'] },
        suggestion: 'Set `openWorldHint` to true.',
        edits: [{ tool: name, pointer: '/annotations/openWorldHint', before: false, after: true }],
      })),
};

function leavesMachine(tool: ToolDefinition): boolean {
  const { name, description = '' } = tool;
  const takesUrl = declaredArguments(tool).some(
    ({ name: argument, depth }) => depth === 0 && /^urls?$/.test(nameWords(argument).at(-1) ?? ''),
  );
  const byName = LEAVES_BY_NAME.test(nameWords(name).join(' '));
  return LEAVES_BY_DESCRIPTION.test(description) || (byName && takesUrl);
}
