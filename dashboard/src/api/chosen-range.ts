// Keeps the chosen range of this browser tab: decided once, looked at again after a minute, the same on every page.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from 'wouter/use-browser-location';
import { type ChosenRange, chooseRange } from '../view/choose-range.ts';
import { DEFAULT_FROM, hasRange } from '../view/view.ts';
import { useLastError } from './last-error.ts';
import { summaryQuestion, useSummary } from './questions.ts';

interface Held extends ChosenRange {
  readonly atMs: number;
}

const KEY = ['chosen range'];
const HOLD_MS = 60_000;
/** Where nothing was ever called, the first calls should not wait for their range. */
const HOLD_NOTHING_MS = 5_000;

interface Choice {
  /** Undefined while the first answer is on its way. */
  readonly from: string | undefined;
  readonly error: Error | null;
}

/** The chosen range for an address without one; asks nothing where the address has its own. */
export function useChoice(): Choice {
  const client = useQueryClient();
  const isWanted = !hasRange(useSearch());
  const query = useQuery({
    queryKey: KEY,
    enabled: isWanted,
    // Every live event asks again; the held choice answers, so that it costs no request.
    queryFn: async (): Promise<Held> => {
      const held = client.getQueryData<Held>(KEY);
      const holdMs = held?.why === 'none' ? HOLD_NOTHING_MS : HOLD_MS;
      if (held && Date.now() - held.atMs < holdMs) return held;
      const countCalls = async (from: string) =>
        (await client.fetchQuery(summaryQuestion({ from, to: 'now' }))).totals.calls;
      return { ...(await chooseRange({ countCalls, held })), atMs: Date.now() };
    },
  });
  const asked = useLastError(KEY, query);
  const isUnknown = asked.data === undefined && asked.error === null && asked.failureCount === 0;
  if (isWanted && isUnknown) return { from: undefined, error: null };
  return { from: asked.data?.from ?? DEFAULT_FROM, error: asked.data ? null : asked.error };
}

/** Why the range is what it is and how many calls it holds now; undefined until both are known. */
export function useReason(from: string): { why: ChosenRange['why']; calls: number } | undefined {
  const choice = useQueryClient().getQueryData<Held>(KEY);
  const summary = useSummary({ from, to: 'now' });
  if (!choice || choice.from !== from || !summary.data || summary.isPlaceholderData) return undefined;
  return { why: choice.why, calls: summary.data.totals.calls };
}
