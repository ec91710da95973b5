// The page of one tool. Figures over the range come from the rollups and from the tool's own calls; figures of order from the
// newest calls of its server, and facts of arguments from the newest of its own, so that no read grows with the traffic.

import type { ToolAnswer, ToolQuery } from '../../contract/tool.ts';
import { toConfusion } from '../../core/advice/planned-fallback.ts';
import { UserError } from '../../errors.ts';
import { toArgumentFacts } from './argument-facts.ts';
import { readArgumentUse } from './argument-use.ts';
import { type CallWindow, inWindows, readCallWindows } from './call-window.ts';
import { readCapturedValues } from './captured-values.ts';
import { currentTools, type ListedDefinition } from './definitions.ts';
import { EVIDENCE_CALLS, type Evidence } from './evidence.ts';
import { alignRange } from './grain.ts';
import { readLoopingCalls } from './loop-share.ts';
import type { Beside } from './ordered-calls.ts';
import type { Asking, Resolved } from './ports.ts';
import { toProportion } from './proportion.ts';
import { readOutcomes, type ToolOutcome } from './result-evidence.ts';
import { readToolFailures, toAfterErrors } from './tool-failures.ts';
import { readToolFigures } from './tool-figures.ts';
import { toVersions } from './tool-versions.ts';

/** Calls of the tool whose arguments and results are looked at. */
const ARGUMENT_CALLS = 5_000;
const MOST_BESIDE = 20;

interface WithEvidence {
  readonly asking: Asking;
  /** Of this tool, with its page: what advice reads in order is what the page shows in order. */
  readonly evidence: Promise<Pick<Evidence, 'definitions' | 'page'>>;
}

/** @throws UserError NOT_FOUND for a name that was neither listed nor called */
export async function answerTool(
  tool: string,
  query: Resolved<ToolQuery>,
  { asking, evidence }: WithEvidence,
): Promise<Omit<ToolAnswer, 'advice'>> {
  const range = alignRange(query.range, asking);
  const { range: _, ...asked } = query;
  const filters = { ...asked, tool };
  const { server } = query;
  const [windows, ownWindows] = await Promise.all([
    readCallWindows({ range, filters: asked, most: EVIDENCE_CALLS }, asking),
    readCallWindows({ range, filters, most: ARGUMENT_CALLS }, asking),
  ]);
  const newest = inWindows(ownWindows, filters);
  const [figures, { definitions, page: order }, looping, use, outcomes, captured] = await Promise.all([
    readToolFigures({ range, filters }, asking),
    evidence,
    readLoopingCalls({ windows, filters }, asking),
    readArgumentUse(newest, asking),
    readOutcomes(newest, asking),
    readCapturedValues({ server, tool, windows: ownWindows, filters }, asking),
  ]);
  const own = definitions.filter((listed) => listed.tool === tool);
  const { uses, ...shown } = figures;
  const failures = await readToolFailures(
    { range, recent: ownWindows[0], filters, steps: order.failures },
    asking,
  );
  if (figures.calls === 0 && own.length === 0 && failures.groups.length === 0)
    throw unknownTool(tool, server);
  const current = own.findLast(({ isCurrent }) => isCurrent) ?? own.at(-1);
  const inLoops = looping.find((row) => row.tool === tool);
  return {
    range,
    ...{ server, tool },
    listed: listedAs(own, definitions),
    ...shown,
    results: toResults(outcomes[0]),
    next: toAfterErrors(order.failures),
    loopShare: toProportion(inLoops?.looping ?? 0, inLoops?.n ?? 0),
    versions: toVersions(own, uses),
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
      .flatMap((one) => toConfusion(one, { tool, tools: currentTools(definitions, server) }) ?? [])
      .slice(0, MOST_BESIDE)
      .map(({ other, calls, sessions }) => ({ tool: other, calls, sessions })),
    sequence: toSequence(windows, range.fromMs),
  };
}

function listedAs(own: readonly ListedDefinition[], all: readonly ListedDefinition[]): ToolAnswer['listed'] {
  if (all.length === 0) return 'unknown_catalogue';
  if (own.length === 0) return 'unlisted';
  return own.some(({ isCurrent }) => isCurrent) ? 'current' : 'retired';
}

function toResults(outcome: ToolOutcome | undefined): ToolAnswer['results'] {
  const { structured = 0, jsonText = 0 } = outcome?.results ?? {};
  return { n: outcome?.shaped ?? 0, structured, json: jsonText };
}

function toNeighbours(beside: readonly Beside[]): ToolAnswer['before'] {
  return beside.slice(0, MOST_BESIDE).map(({ other, calls, failedEnds }) => ({
    tool: other,
    count: calls,
    endedInFailure: toProportion(failedEnds, calls),
  }));
}

function toSequence(windows: readonly CallWindow[], fromMs: number): ToolAnswer['sequence'] {
  const [window] = windows;
  return window === undefined
    ? { fromMs, calls: 0, isWhole: true }
    : { fromMs: window.fromMs, calls: window.calls, isWhole: window.isWhole };
}

function unknownTool(tool: string, server: string): UserError {
  return new UserError(
    'NOT_FOUND',
    `Server "${server}" has no tool "${tool.slice(0, 100)}", and nobody asked for one.`,
    {
      hint: 'Names are compared letter by letter; a longer range may hold its calls.',
    },
  );
}
