// Sentences about the agent's side.
import type { AgentCallRow, AgentSideResponse } from '../../../../src/contract/agent-side.ts';
import { formatPlural } from '../../format/format-number.ts';

/** What became of the calls of agents, in one sentence or two. */
export function describeAgentSide(response: AgentSideResponse): string {
  const { calls, joined, unreached, untraced, other, failedAfterSuccess } = response;
  const parts = [
    `${formatPlural(joined, 'call')} of ${calls} joined with a server’s`,
    ...part(unreached, 'did not reach the server'),
    ...part(failedAfterSuccess, 'failed for the agent after the server’s success'),
    ...part(other, 'of tools that no known server has'),
  ];
  const unknown =
    (untraced ?? 0) > 0
      ? ` Of ${formatPlural(untraced ?? 0, 'call')} nothing more is known, because the client does not pass the trace on to the server.`
      : '';
  return `${parts.join(', ')}.${unknown}`;
}

const part = (n: number | null, text: string): string[] => ((n ?? 0) > 0 ? [`${n} ${text}`] : []);

const STATE_TEXTS = {
  joined: 'answered by the server',
  unreached: 'did not reach the server',
  untraced: 'the trace is not passed on',
  other: 'no known server has this tool',
} as const;

/** What happened to one call, with its error message if the agent reported one. */
export function describeAgentCall({ state, failed, failedAfterSuccess, errorMessage }: AgentCallRow): string {
  const happened = failedAfterSuccess
    ? 'failed for the agent after the server’s success'
    : failed && state === 'joined'
      ? 'failed on both sides'
      : STATE_TEXTS[state];
  return errorMessage === '' ? happened : `${happened}: ${errorMessage}`;
}
