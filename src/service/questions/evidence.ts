// What happened to every tool, as the rules of advice take it: the newest calls of each server, those that met the current
// definition. Ten reads for all servers together, however many tools there are; ten more where versions run beside each other.

import type { TimeRange } from '../../contract/time-range.ts';
import { declaredArguments } from '../../core/advice/declared-arguments.ts';
import { toConfusion } from '../../core/advice/planned-fallback.ts';
import type { ArgumentEvidence, FailureEvidence, ToolEvidence } from '../../core/advice/tool-evidence.ts';
import { noEvidence } from '../../core/advice/tool-evidence.ts';
import { type ArgumentUse, readArgumentUse } from './argument-use.ts';
import { type BesideEvidence, roundsBeside } from './beside-definitions.ts';
import { type CallWindow, inWindows, readCallWindows } from './call-window.ts';
import { type CalledVersion, readCalledVersions } from './called-versions.ts';
import { nameValues } from './captured-values.ts';
import { currentTools, type ListedDefinition, readDefinitions } from './definitions.ts';
import { readFailureEvidence } from './failure-evidence.ts';
import { allOf, always, type Filters } from './filters.ts';
import { groupRows, toolKey } from './group-rows.ts';
import { type CallOrder, type PageOrder, readCallOrder } from './ordered-calls.ts';
import { metCurrent, readOutdated, readStaleUse } from './outdated-calls.ts';
import type { Asking } from './ports.ts';
import { readDuplicates, readOutcomes } from './result-evidence.ts';
import { layOutShapes } from './shape-paths.ts';

/** Calls of each server that advice looks at. */
export const EVIDENCE_CALLS = 5_000;

export interface Evidence {
  readonly definitions: readonly ListedDefinition[];
  readonly windows: readonly CallWindow[];
  /** Of all calls; those that met a current definition are marked. */
  readonly order: CallOrder;
  /** The same for the page that was asked for; empty where there is none. */
  readonly page: PageOrder;
  /** Of the calls that met a current definition; empty where one version alone listed them. */
  readonly calledVersions: readonly CalledVersion[];
  /** One entry for each tool that was listed or called, by server. */
  readonly tools: ReadonlyMap<string, readonly ToolEvidence[]>;
  /** What happened to the calls that met a definition in use beside the current one. */
  readonly beside: readonly BesideEvidence[];
}

interface Asked {
  readonly range: TimeRange;
  /** A `tool` narrows what is read to that tool. */
  readonly filters: Filters;
  /** The filters of a tool's page, whose figures of order are made in the same pass. */
  readonly pageOf?: Filters;
}

export async function readEvidence({ range, filters, pageOf }: Asked, asking: Asking): Promise<Evidence> {
  const { server, environment } = filters;
  const [windows, definitions] = await Promise.all([
    readCallWindows({ range, filters: { ...filters, tool: undefined }, most: EVIDENCE_CALLS }, asking),
    readDefinitions({ server, environment }, asking),
  ]);
  const asked = { windows, filters };
  const [current, ...beside] = await Promise.all([
    gatherEvidence({ ...asked, definitions, only: undefined, pageOf }, asking),
    ...roundsBeside(definitions).map((round) => gatherBeside({ ...asked, ...round }, asking)),
  ]);
  return { ...current, windows, definitions, beside: beside.flat() };
}

interface Gathering {
  readonly windows: readonly CallWindow[];
  readonly filters: Filters;
  /** Of which the current ones are looked at. */
  readonly definitions: readonly ListedDefinition[];
  /** Names of the tools that are looked at; all where it is left out. */
  readonly only: readonly string[] | undefined;
  /** The filters of a tool's page, whose figures of order are made in the same pass. */
  readonly pageOf?: Filters | undefined;
}

async function gatherBeside(
  { besides, ...gathering }: Omit<Gathering, 'only'> & { readonly besides: readonly ListedDefinition[] },
  asking: Asking,
): Promise<BesideEvidence[]> {
  const only = [...new Set(besides.map(({ tool }) => tool))];
  const { tools } = await gatherEvidence({ ...gathering, only }, asking);
  return besides.flatMap((listed) => {
    const evidence = tools.get(listed.server)?.find(({ tool }) => tool === listed.tool);
    return evidence === undefined ? [] : [{ listed, evidence }];
  });
}

async function gatherEvidence(
  { windows, filters, definitions, only, pageOf }: Gathering,
  asking: Asking,
): Promise<Pick<Evidence, 'order' | 'page' | 'calledVersions' | 'tools'>> {
  const { server, tool } = filters;
  const outdated = await readOutdated(definitions, server, asking);
  const current = metCurrent(outdated, definitions);
  const all = allOf(
    inWindows(windows, filters),
    only === undefined
      ? always('')
      : { sql: 'tool_name IN {only_tools:Array(String)}', params: { only_tools: only } },
  );
  const where = allOf(all, current);
  const [{ order, page }, outcomes, duplicates, use, stale, calledVersions] = await Promise.all([
    readCallOrder({ windows, filters, tool, current, pageOf }, asking),
    readOutcomes(where, asking),
    readDuplicates(where, asking),
    readArgumentUse(where, asking),
    readStaleUse({ where: all, outdated }, asking),
    readCalledVersions({ where, definitions }, asking),
  ]);
  const failures = await readFailureEvidence(
    { where, steps: order.failures.filter(({ isCurrent }) => isCurrent) },
    asking,
  );
  const offered = new Map(windows.map(({ server: of }) => [of, currentTools(definitions, of)]));
  const tools = new Map<string, ToolEvidence[]>();
  const outcomesOf = groupRows(outcomes, toolKey);
  const wasListed = new Set(definitions.map(toolKey));
  const confusionsOf = groupRows(order.confusions, toolKey);
  for (const name of namesOf(definitions, outcomes)) {
    if ((tool !== undefined && name.tool !== tool) || only?.includes(name.tool) === false) continue;
    const { server: of, tool: called } = name;
    const [outcome] = outcomesOf.get(toolKey(name)) ?? [];
    const groups = failures(of, called);
    const evidence: ToolEvidence = {
      ...noEvidence(called),
      wasListed: wasListed.has(toolKey(name)),
      ...(outcome && {
        calls: outcome.calls,
        sessions: outcome.sessions,
        errors: outcome.errors,
        lastCalledAtMs: Math.floor(outcome.lastUs / 1_000),
        clients: outcome.clients,
        results: outcome.results,
      }),
      failures: groups,
      arguments: toArguments(use(of, called), {
        failures: groups,
        declared: declaredNames(definitions, name),
      }),
      duplicates: duplicates(of, called),
      confusions: (confusionsOf.get(toolKey(name)) ?? [])
        .filter(({ isCurrent }) => isCurrent)
        .flatMap((one) => toConfusion(one, { tool: called, tools: offered.get(of) ?? [] }) ?? []),
      versions: stale(of, called),
    };
    const others = tools.get(of);
    if (others) others.push(evidence);
    else tools.set(of, [evidence]);
  }
  const named = await Promise.all(
    [...tools].map(
      async ([of, own]) => [of, await nameValues(own, { server: of, windows, filters }, asking)] as const,
    ),
  );
  return { order, page, calledVersions, tools: new Map(named) };
}

interface Name {
  readonly server: string;
  readonly tool: string;
}

function namesOf(definitions: readonly Name[], outcomes: readonly Name[]): Name[] {
  const names = new Map<string, Name>();
  for (const { server, tool } of [...definitions, ...outcomes])
    names.set(`${server}\n${tool}`, { server, tool });
  return [...names.values()];
}

/** Something that had to be there was not. */
const INCOMPLETE = /\b(?:required|missing|must have|not provided|undefined)\b/i;

/** Top-level arguments of the current definition: those that nobody sends are evidence too. */
function declaredNames(definitions: readonly ListedDefinition[], { server, tool }: Name): string[] {
  const current = definitions.findLast(
    (listed) => listed.isCurrent && listed.server === server && listed.tool === tool,
  )?.definition;
  if (current === undefined) return [];
  return declaredArguments(current).flatMap(({ path, depth }) => (depth === 0 ? [path] : []));
}

interface Shown {
  readonly failures: readonly FailureEvidence[];
  /** Names of top-level arguments, sent or not. */
  readonly declared: readonly string[];
}

/** Top-level arguments, and nested ones that were sent or refused. */
export function toArguments(use: ArgumentUse, { failures, declared }: Shown): ArgumentEvidence[] {
  const shapes = layOutShapes(use.shapes);
  const shaped = use.shapes.reduce((sum, { calls }) => sum + calls, 0);
  const refused = failures.filter(
    ({ outcome, argument }) => outcome === 'invalid_arguments' && argument !== '',
  );
  const above = refused.flatMap(({ argument }) => parentsOf(argument));
  const paths = new Set([
    ...declared,
    ...use.names.map(({ name }) => name),
    ...shapes.keys(),
    ...refused.map(({ argument }) => argument),
    ...above,
  ]);
  return [...paths].map((path): ArgumentEvidence => {
    const name = use.names.find((one) => one.name === path);
    const facts = shapes.get(path);
    const byName = use.names.length > 0 && !/[.[]/.test(path);
    return {
      path,
      known: byName ? use.known : shaped,
      sent: byName ? (name?.sent ?? 0) : (facts?.sent ?? 0),
      invalid: callsOf(refused.filter(({ argument }) => argument === path)),
      incomplete: callsOf(
        refused.filter(
          ({ argument, template }) => parentsOf(argument).includes(path) && INCOMPLETE.test(template),
        ),
      ),
      // Rules say "always" and "only", so lower bounds are no use to them.
      compared: name?.exact_compared ?? 0,
      distinct: name?.exact_distinct ?? 0,
      mostFrequent: name?.exact_most ?? 0,
      types: facts?.types ?? {},
      longestText: facts?.longestText ?? 0,
    };
  });
}

function callsOf(failures: readonly FailureEvidence[]): number {
  return failures.reduce((sum, { calls }) => sum + calls, 0);
}

/** `items[].sku` lies in `items[]` and in `items`. */
function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (const match of path.matchAll(/\.|\[/g)) if (match.index > 0) parents.push(path.slice(0, match.index));
  return [...new Set(parents)];
}
