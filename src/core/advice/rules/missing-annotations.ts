// TD027: tools without hints. One finding for the server: whoever forgot them forgot them for a reason that is the server's.
// By the specification's defaults such a tool counts as destructive and open-world, so clients ask before each call.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { formatList, formatNounCount } from '../format-counts.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

export const missingAnnotations: StaticRule = {
  id: 'TD027',
  level: 'note',
  title: 'No annotations',
  condition: 'Tools have neither `readOnlyHint` nor `destructiveHint`.',
  disprovedBy: 'The tools change things and may destroy something, as the defaults say.',
  check: (tools) => {
    const bare = tools.filter(
      ({ annotations }) =>
        annotations?.readOnlyHint === undefined && annotations?.destructiveHint === undefined,
    );
    return bare.length === 0 ? [] : [toObservation(bare, tools.length)];
  },
};

function toObservation(bare: readonly ToolDefinition[], all: number) {
  const names = bare.map(({ name }) => name);
  const [first = ''] = names;
  return {
    tool: bare.length === 1 ? first : '',
    finding: `${bare.length} of ${formatNounCount(all, 'tool')} (${formatList(names)}) have no hint whether they only read: clients must assume the worst.`,
    evidence: { counts: { tools: bare.length, toolsListed: all }, names: { tools: names } },
    suggestion: {
      text: 'Set `readOnlyHint: true` on tools that only read, and `destructiveHint: false` on tools that only add.',
      edits: bare.flatMap(({ name }) => {
        const kind = actionOf(name)?.kind ?? 'act';
        // What an acting verb (`run`, `start`) leaves behind is the author's to say.
        return kind === 'act'
          ? []
          : [{ tool: name, pointer: '/annotations/readOnlyHint', after: kind === 'read' }];
      }),
    },
  };
}
