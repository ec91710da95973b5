// TD031: more tools than an agent chooses well among. Where the definitions cost much, that is said too.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { definitionTokens } from '../definition-tokens.ts';
import type { StaticRule } from '../rule.ts';

const NOTE_ABOVE = 15;
const WARNING_ABOVE = 20;

export const toolCount: StaticRule = {
  id: 'TD031',
  level: 'warning',
  title: 'Many tools',
  condition: `More than ${WARNING_ABOVE} tools in one listing; a note from ${NOTE_ABOVE + 1} on.`,
  disprovedBy: 'Clients list only a part of them, or agents find the right one as often as with fewer.',
  check: (tools) => (tools.length > NOTE_ABOVE ? [toObservation(tools)] : []),
};

function toObservation(tools: readonly ToolDefinition[]) {
  const tokens = tools.reduce((sum, tool) => sum + definitionTokens(tool), 0);
  const mostExpensive = [...tools]
    .sort((one, other) => definitionTokens(other) - definitionTokens(one))
    .slice(0, 5);
  return {
    tool: '',
    level: tools.length > WARNING_ABOVE ? ('warning' as const) : ('note' as const),
    finding:
      tools.length > WARNING_ABOVE
        ? `${tools.length} tools are listed, about ${tokens} tokens in every listing; beyond ${WARNING_ABOVE}, agents are known to choose worse.`
        : `${tools.length} tools are listed, about ${tokens} tokens in every listing; that is near the ${WARNING_ABOVE} beyond which agents are known to choose worse.`,
    evidence: {
      counts: { tools: tools.length, definitionTokens: tokens },
      names: { mostExpensive: mostExpensive.map(({ name }) => name) },
    },
    suggestion: {
      text: 'Take away what is never called, join what is always called together, or split the server by task.',
      edits: [],
    },
  };
}
