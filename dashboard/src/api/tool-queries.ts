// The queries about tool design, one hook each, and the mutation that dismisses advice.
import { useQueryClient } from '@tanstack/react-query';
import { AdviceResponse } from '../../../src/contract/advice.ts';
import { ChangesResponse } from '../../../src/contract/changes.ts';
import { ToolColumnsResponse, ToolResponse } from '../../../src/contract/tool.ts';
import type { ToolRef } from '../view/tool-ref.ts';
import type { View } from '../view/view.ts';
import { mutate } from './fetch-json.ts';
import { toQueryParams, useApiQuery } from './queries.ts';

/** One tool. The page names the tool and its server, so those filters of the view do not apply. */
export function useTool(view: View, { tool, server }: ToolRef) {
  return useApiQuery(
    `tools/${encodeURIComponent(tool)}`,
    ToolResponse,
    toQueryParams(view, { tool: undefined, server }),
  );
}

/** The slower columns of the tools table; a separate query, so that they do not delay the counts. */
export function useToolColumns(view: View) {
  return useApiQuery('tool-columns', ToolColumnsResponse, toQueryParams(view));
}

export function useAdvice(view: View, state: string) {
  return useApiQuery('advice', AdviceResponse, toQueryParams(view, { state }));
}

export function useChanges(view: View) {
  return useApiQuery('changes', ChangesResponse, toQueryParams(view));
}

interface AdviceDismissal {
  readonly dismiss: (id: string, reason: string) => Promise<void>;
  readonly restore: (id: string) => Promise<void>;
}

/** Both mutations refetch all active queries when they finish. */
export function useAdviceDismissal(): AdviceDismissal {
  const client = useQueryClient();
  const pathOf = (id: string): string => `advice/${encodeURIComponent(id)}/dismiss`;
  return {
    dismiss: async (id, reason) => {
      await mutate(pathOf(id), { method: 'POST', body: { reason } });
      await client.invalidateQueries();
    },
    restore: async (id) => {
      await mutate(pathOf(id), { method: 'DELETE' });
      await client.invalidateQueries();
    },
  };
}
