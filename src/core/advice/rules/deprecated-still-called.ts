// TD032: who still lives in the past: tools marked deprecated, tools no longer listed, and definitions that were replaced.

import { isDeprecated } from '../description-words.ts';
import type { Observation } from '../finding.ts';
import { formatList, formatNounCount } from '../format-counts.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { sumOf } from '../tool-errors.ts';
import type { VersionUse } from '../tool-evidence.ts';

export const deprecatedStillCalled: TrafficRule = {
  id: 'TD032',
  level: 'note',
  title: 'Outdated and still called',
  condition:
    'A tool whose description says it is deprecated is called, a definition after a newer one was listed, or (a warning) a tool after it was removed.',
  disprovedBy: 'It has not been called since.',
  check: (traffic) => {
    if (traffic.definition === undefined) return checkRemoved(traffic);
    if (isDeprecated(traffic.definition))
      return traffic.evidence.calls === 0 ? [] : [checkDeprecated(traffic)];
    return checkStale(traffic);
  },
};

const formatCallers = (clients: readonly string[]): string =>
  clients.length > 0 ? ` by ${formatList(clients)}` : '';
const formatLastCall = (ms: number): string => (ms > 0 ? `, last on ${new Date(ms).toISOString()}` : '');

const namesOf = (lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())].sort();

/** Calls of processes that still have it, and those that the others refused. Never listed is another matter: agents invent it. */
function checkRemoved({ evidence }: ToolTraffic): Observation[] {
  const { tool, versions } = evidence;
  const late = versions.filter(({ staleCalls }) => staleCalls > 0);
  const refused = evidence.failures.filter(({ outcome }) => outcome === 'unknown_tool');
  const isRefused = evidence.wasListed === true && refused.length > 0;
  const calls =
    sumOf(late, ({ staleCalls }) => staleCalls) + (isRefused ? sumOf(refused, (group) => group.calls) : 0);
  if (calls === 0) return [];
  const clients = namesOf([
    ...late.map((version) => version.clients),
    ...(isRefused ? [evidence.clients] : []),
  ]);
  const last = Math.max(
    ...late.map(({ lastCalledAtMs }) => lastCalledAtMs),
    ...(isRefused ? [evidence.lastCalledAtMs] : []),
  );
  return [
    {
      tool,
      level: 'warning',
      finding: `"${tool}" is no longer listed and was called ${formatNounCount(calls, 'time')} since${formatCallers(clients)}${formatLastCall(last)}.`,
      ...evidenceOf(calls, last, { tool, clients }),
      suggestion: 'Answer it with an error that names the tool to use instead, until it is no longer called.',
      callsLost: calls,
    },
  ];
}

function checkDeprecated({ evidence }: ToolTraffic): Observation {
  const { tool, calls, clients, lastCalledAtMs } = evidence;
  return {
    tool,
    finding: `"${tool}" is deprecated and was called ${formatNounCount(calls, 'time')}${formatCallers(clients)}${formatLastCall(lastCalledAtMs)}.`,
    ...evidenceOf(calls, lastCalledAtMs, { tool, clients }),
    suggestion:
      'Say in the result which tool to use instead, and stop listing it once it is no longer called.',
  };
}

function checkStale({ evidence: { tool, versions } }: ToolTraffic): Observation[] {
  const stale = versions.filter(({ current, staleCalls }) => !current && staleCalls > 0);
  if (stale.length === 0) return [];
  const calls = sumOf(stale, ({ staleCalls }) => staleCalls);
  const clients = namesOf(stale.map((version) => version.clients));
  const last = Math.max(...stale.map(({ lastCalledAtMs }) => lastCalledAtMs));
  const named = stale.map(nameOf);
  return [
    {
      tool,
      finding: `${formatNounCount(calls, 'call')} of "${tool}" still used an outdated definition (${formatList(named)})${formatCallers(clients)}${formatLastCall(last)}.`,
      ...evidenceOf(calls, last, { tool, clients }),
      names: { clients, versions: named },
      suggestion:
        'Send `notifications/tools/list_changed`, or give the listing a shorter `ttlMs`, so that clients list again.',
    },
  ];
}

const nameOf = ({ serverVersion, definitionHash }: VersionUse): string =>
  serverVersion === '' ? definitionHash.slice(0, 8) : serverVersion;

function evidenceOf(
  calls: number,
  lastCalledAtMs: number,
  { tool, clients }: { readonly tool: string; readonly clients: readonly string[] },
) {
  return { counts: { calls, lastCalledAtMs }, names: { clients }, calls: { tool } };
}
