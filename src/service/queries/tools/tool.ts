// The page of one tool. Range stats come from the rollups and from the tool's own calls; call order from the
// newest calls of its server, and argument facts from the newest calls of the tool, so that no read grows
// with traffic.

import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { ToolQuery, ToolResponse } from '../../../contract/tool.ts';
import { toConfusionEvidence } from '../../../core/advice/planned-fallback.ts';
import { UserError } from '../../../errors.ts';
import { type Evidence, MAX_EVIDENCE_CALLS } from '../advice/evidence.ts';
import { readLoopingCalls } from '../loops/looping-calls.ts';
import { type CallWindow, inWindows, readCallWindows } from '../query/call-window.ts';
import { alignRange } from '../query/grain.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import { toArgumentFacts } from './argument-facts.ts';
import { readArgumentUse } from './argument-use.ts';
import type { AdjacentTool } from './call-order.ts';
import { readCapturedValues } from './captured-values.ts';
import { type ListedDefinition, listCurrentTools } from './definitions.ts';
import { readToolFailures, sumNextSteps } from './tool-failures.ts';
import { readToolOutcomes, type ToolOutcome } from './tool-outcomes.ts';
import { readToolStats } from './tool-stats.ts';
import { toToolVersions } from './tool-versions.ts';

/** Calls of the tool whose arguments and results are read. */
const MAX_ARGUMENT_CALLS = 5_000;
const MAX_NEIGHBOURS = 20;

interface ToolReadOptions {
  readonly context: QueryContext;
  /** Evidence for this tool and its page, so that advice and page show the same call order. */
  readonly evidence: Promise<Pick<Evidence, 'definitions' | 'page'>>;
}

/** @throws UserError NOT_FOUND for a name that was neither listed nor called */
export async function readToolDetails(
  tool: string,
  query: ResolvedQuery<ToolQuery>,
  { context, evidence }: ToolReadOptions,
): Promise<Omit<ToolResponse, 'advice'>> {
  const range = alignRange(query.range, context);
  const { range: _, ...serverFilters } = query;
  const filters = { ...serverFilters, tool };
  const { server } = query;
  const [windows, ownWindows] = await Promise.all([
    readCallWindows({ range, filters: serverFilters, maxCalls: MAX_EVIDENCE_CALLS }, context),
    readCallWindows({ range, filters, maxCalls: MAX_ARGUMENT_CALLS }, context),
  ]);
  const newest = inWindows(ownWindows, filters);
  const [stats, { definitions, page: order }, looping, use, outcomes, captured] = await Promise.all([
    readToolStats({ range, filters }, context),
    evidence,
    readLoopingCalls({ windows, filters }, context),
    readArgumentUse(newest, context),
    readToolOutcomes(newest, context),
    readCapturedValues({ server, tool, windows: ownWindows, filters }, context),
  ]);
  const own = definitions.filter((listed) => listed.tool === tool);
  const { uses, ...shown } = stats;
  const failures = await readToolFailures(
    { range, recent: ownWindows[0], filters, steps: order.failures },
    context,
  );
  if (stats.calls === 0 && own.length === 0 && failures.groups.length === 0)
    throw createUnknownToolError(tool, server);
  const current = own.findLast(({ isCurrent }) => isCurrent) ?? own.at(-1);
  const inLoops = looping.find((row) => row.tool === tool);
  return {
    range,
    ...{ server, tool },
    listed: toListedState(own, definitions),
    ...shown,
    results: toResults(outcomes[0]),
    next: sumNextSteps(order.failures),
    loopShare: toProportion(inLoops?.looping ?? 0, inLoops?.n ?? 0),
    versions: toToolVersions(own, uses),
    failures: [...failures.groups],
    arguments: toArgumentFacts({
      definition: current?.definition,
      use: use(server, tool),
      invalid: failures.invalid,
      captured,
    }),
    before: toNeighbours(order.before),
    after: toNeighbours(order.after),
    confusedWith: order.confusions
      .flatMap(
        (one) => toConfusionEvidence(one, { tool, tools: listCurrentTools(definitions, server) }) ?? [],
      )
      .slice(0, MAX_NEIGHBOURS)
      .map(({ other, calls, sessions }) => ({ tool: other, calls, sessions })),
    sequence: toSequence(windows, range.fromMs),
  };
}

function toListedState(
  own: readonly ListedDefinition[],
  all: readonly ListedDefinition[],
): ToolResponse['listed'] {
  if (all.length === 0) return 'unknown_catalogue';
  if (own.length === 0) return 'unlisted';
  return own.some(({ isCurrent }) => isCurrent) ? 'current' : 'retired';
}

function toResults(outcome: ToolOutcome | undefined): ToolResponse['results'] {
  const { structured = 0, jsonText = 0 } = outcome?.results ?? {};
  return { n: outcome?.shaped ?? 0, structured, json: jsonText };
}

function toNeighbours(adjacent: readonly AdjacentTool[]): ToolResponse['before'] {
  return adjacent.slice(0, MAX_NEIGHBOURS).map(({ other, calls, failedEnds }) => ({
    tool: other,
    count: calls,
    endedInFailure: toProportion(failedEnds, calls),
  }));
}

function toSequence(windows: readonly CallWindow[], fromMs: number): ToolResponse['sequence'] {
  const [window] = windows;
  return window === undefined
    ? { fromMs, calls: 0, isWhole: true }
    : { fromMs: window.fromMs, calls: window.calls, isWhole: window.isWhole };
}

function createUnknownToolError(tool: string, server: string): UserError {
  return new UserError(
    'NOT_FOUND',
    `Server "${server}" has no tool "${tool.slice(0, 100)}", and no call requested it.`,
    {
      hint: 'Names are case-sensitive; a longer range may contain its calls.',
    },
  );
}
