// Feedback on loops in memory, and a proposal for each loop that is said to be none.
import type { LoopFeedback, ThresholdProposalResponse } from '../../src/contract/loop-feedback.ts';
import type { LoopRow } from '../../src/contract/loops.ts';
import type { ActionRequest, ResourceRequest } from '../../src/contract/queries.ts';

export function createFixtureLoopFeedback() {
  const given = new Map<string, LoopFeedback>();
  return {
    addTo: (loop: LoopRow): LoopRow => ({ ...loop, feedback: given.get(loop.id) ?? null }),
    async add({ id, ...body }: ActionRequest<'addLoopFeedback'>): Promise<void> {
      given.set(id, { ...body, at: new Date().toISOString() });
    },
    async remove({ id }: ActionRequest<'removeLoopFeedback'>): Promise<void> {
      given.delete(id);
    },
    propose({ range }: ResourceRequest<'thresholdProposal'>): ThresholdProposalResponse {
      const disagreed = [...given.values()].filter(({ verdict }) => verdict === 'not_loop').length;
      const table = { tools: { 'notes/move': { failures: 9 } } };
      return {
        range,
        feedback: { total: given.size, tried: given.size, agreed: given.size - disagreed },
        changes:
          disagreed === 0
            ? []
            : [{ section: 'tools', entry: 'notes/move', name: 'failures', from: 5, to: 9 }],
        thresholdsFile: disagreed === 0 ? null : JSON.stringify(table, undefined, 2),
        unsatisfied: [],
        history: { sessions: disagreed === 0 ? 0 : 96, changed: [] },
      };
    },
  };
}
