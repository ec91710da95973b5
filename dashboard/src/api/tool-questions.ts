// Questions about the design of tools, as one hook each, and the one change that a reader can make: dismissing advice.
import { useQueryClient } from '@tanstack/react-query';
import { AdviceAnswer } from '../../../src/contract/advice.ts';
import { ChangesAnswer } from '../../../src/contract/changes.ts';
import { ToolAnswer, ToolColumnsAnswer } from '../../../src/contract/tool.ts';
import type { ToolState } from '../paths.ts';
import type { View } from '../view/view.ts';
import { change } from './ask.ts';
import { toQuery, useQuestion } from './questions.ts';

/** One tool. The page names it, so of the filters those of tool and server do not apply. */
export function useTool(view: View, { tool, server }: ToolState) {
  return useQuestion(
    `tools/${encodeURIComponent(tool)}`,
    ToolAnswer,
    toQuery(view, { tool: undefined, server }),
  );
}

/** What the tools table shows beside its counts; slower than those, so that the table does not wait for it. */
export function useToolColumns(view: View) {
  return useQuestion('tool-columns', ToolColumnsAnswer, toQuery(view));
}

export function useAdvice(view: View, state: string) {
  return useQuestion('advice', AdviceAnswer, toQuery(view, { state }));
}

export function useChanges(view: View) {
  return useQuestion('changes', ChangesAnswer, toQuery(view));
}

interface Dismissal {
  readonly dismiss: (id: string, reason: string) => Promise<void>;
  readonly restore: (id: string) => Promise<void>;
}

/** Both ask every open question again once they are done. */
export function useDismissal(): Dismissal {
  const client = useQueryClient();
  const pathOf = (id: string): string => `advice/${encodeURIComponent(id)}/dismiss`;
  return {
    dismiss: async (id, reason) => {
      await change(pathOf(id), { method: 'POST', body: { reason } });
      await client.invalidateQueries();
    },
    restore: async (id) => {
      await change(pathOf(id), { method: 'DELETE' });
      await client.invalidateQueries();
    },
  };
}
