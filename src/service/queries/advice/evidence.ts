// Evidence for the advice rules: the newest calls of each server that met the current definition. It takes
// eleven reads for all servers together, whatever the number of tools, and eleven more where versions run
// concurrently.

import { passesFilter } from '../../../contract/filter-value.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { declaredArguments } from '../../../core/advice/declared-arguments.ts';
import { toConfusionEvidence } from '../../../core/advice/planned-fallback.ts';
import type { ArgumentEvidence, FailureEvidence, ToolEvidence } from '../../../core/advice/tool-evidence.ts';
import { emptyToolEvidence } from '../../../core/advice/tool-evidence.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { type CallWindow, inWindows, readCallWindows } from '../query/call-window.ts';
import { allOf, type CommonFilters, rawSql } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { listTools, type ToolIdentity, toToolKey } from '../query/tool-identity.ts';
import { type ArgumentUse, readArgumentUse } from '../tools/argument-use.ts';
import { type CallOrder, type PageCallOrder, readCallOrder } from '../tools/call-order.ts';
import { addCapturedValues } from '../tools/captured-values.ts';
import {
  type ListedDefinition,
  listCurrentTools,
  listServerReferrals,
  readDefinitions,
} from '../tools/definitions.ts';
import { toPathFacts } from '../tools/path-facts.ts';
import { readDuplicates, readKeyReuse, readToolOutcomes } from '../tools/tool-outcomes.ts';
import { type CalledVersion, readCalledVersions } from './called-versions.ts';
import { type ConcurrentEvidence, toConcurrentPasses } from './concurrent-definitions.ts';
import { readFailureEvidence } from './failure-evidence.ts';
import { metCurrentDefinition, readOutdatedDefinitions, readStaleUse } from './outdated-definitions.ts';

/** Calls per server used as evidence. */
export const MAX_EVIDENCE_CALLS = 5_000;

export interface Evidence {
  readonly definitions: readonly ListedDefinition[];
  readonly windows: readonly CallWindow[];
  /** Order of all calls; those that met a current definition are marked. */
  readonly order: CallOrder;
  /** The same for the requested tool page; empty without one. */
  readonly page: PageCallOrder;
  /** Calls that met a current definition; empty where a single version listed them. */
  readonly calledVersions: readonly CalledVersion[];
  /** One entry per tool that was listed or called, by server. */
  readonly tools: ReadonlyMap<string, readonly ToolEvidence[]>;
  /** Evidence from the calls that met a concurrent definition in use. */
  readonly concurrent: readonly ConcurrentEvidence[];
}

interface EvidenceQuery {
  readonly range: TimeRange;
  /** A `tool` limits the reads to that tool. */
  readonly filters: CommonFilters;
  /** CommonFilters of a tool page, whose call order comes from the same pass. */
  readonly pageFilters?: CommonFilters;
}

export async function readEvidence(
  { range, filters, pageFilters }: EvidenceQuery,
  context: QueryContext,
): Promise<Evidence> {
  const { server, environment } = filters;
  const [windows, definitions] = await Promise.all([
    readCallWindows(
      { range, filters: { ...filters, tool: undefined }, maxCalls: MAX_EVIDENCE_CALLS },
      context,
    ),
    readDefinitions({ server, environment }, context),
  ]);
  const scope = { windows, filters };
  const [current, ...concurrent] = await Promise.all([
    assembleEvidence({ ...scope, definitions, only: undefined, pageFilters }, context),
    ...toConcurrentPasses(definitions).map((round) =>
      readConcurrentEvidence({ ...scope, ...round }, context),
    ),
  ]);
  return { ...current, windows, definitions, concurrent: concurrent.flat() };
}

interface EvidenceScope {
  readonly windows: readonly CallWindow[];
  readonly filters: CommonFilters;
  /** All listed definitions; the current ones are evaluated. */
  readonly definitions: readonly ListedDefinition[];
  /** Names of the tools to evaluate; undefined means all. */
  readonly only: readonly string[] | undefined;
  /** CommonFilters of a tool page, whose call order comes from the same pass. */
  readonly pageFilters?: CommonFilters | undefined;
}

async function readConcurrentEvidence(
  {
    concurrentDefinitions,
    ...scope
  }: Omit<EvidenceScope, 'only'> & { readonly concurrentDefinitions: readonly ListedDefinition[] },
  context: QueryContext,
): Promise<ConcurrentEvidence[]> {
  const only = [...new Set(concurrentDefinitions.map(({ tool }) => tool))];
  const { tools } = await assembleEvidence({ ...scope, only }, context);
  return concurrentDefinitions.flatMap((listed) => {
    const evidence = tools.get(listed.server)?.find(({ tool }) => tool === listed.tool);
    return evidence === undefined ? [] : [{ listed, evidence }];
  });
}

async function assembleEvidence(
  { windows, filters, definitions, only, pageFilters }: EvidenceScope,
  context: QueryContext,
): Promise<Pick<Evidence, 'order' | 'page' | 'calledVersions' | 'tools'>> {
  const { server, tool } = filters;
  const outdated = await readOutdatedDefinitions(definitions, server, context);
  const current = metCurrentDefinition(outdated, definitions);
  const all = allOf(
    inWindows(windows, filters),
    only === undefined
      ? rawSql('')
      : { sql: 'tool_name IN {only_tools:Array(String)}', params: { only_tools: only } },
  );
  const where = allOf(all, current);
  const [{ order, page }, outcomes, duplicates, keyReuse, use, stale, calledVersions] = await Promise.all([
    readCallOrder(
      {
        windows,
        filters,
        tool,
        current,
        pageFilters,
        referrals: listServerReferrals(
          windows.map((window) => window.server),
          definitions,
        ),
      },
      context,
    ),
    readToolOutcomes(where, context),
    readDuplicates(where, context),
    readKeyReuse(where, context),
    readArgumentUse(where, context),
    readStaleUse({ where: all, outdated }, context),
    readCalledVersions({ where, definitions }, context),
  ]);
  const failures = await readFailureEvidence(
    { where, steps: order.failures.filter(({ isCurrent }) => isCurrent) },
    context,
  );
  const offered = new Map(windows.map(({ server }) => [server, listCurrentTools(definitions, server)]));
  const tools = new Map<string, ToolEvidence[]>();
  const outcomesOf = groupBy(outcomes, toToolKey);
  const wasListed = new Set(definitions.map(toToolKey));
  const confusionsOf = groupBy(order.confusions, toToolKey);
  for (const name of listTools(definitions, outcomes)) {
    if (!passesFilter(tool, name.tool) || only?.includes(name.tool) === false) continue;
    const { server, tool: called } = name;
    const [outcome] = outcomesOf.get(toToolKey(name)) ?? [];
    const groups = failures(server, called);
    const evidence: ToolEvidence = {
      ...emptyToolEvidence(called),
      wasListed: wasListed.has(toToolKey(name)),
      ...(outcome && {
        calls: outcome.calls,
        sessions: outcome.sessions,
        errors: outcome.errors,
        lastCalledAtMs: Math.floor(outcome.lastUs / 1_000),
        clients: outcome.clients,
        results: outcome.results,
      }),
      failures: groups,
      arguments: toArguments(use(server, called), {
        failures: groups,
        declared: listDeclaredNames(definitions, name),
      }),
      duplicates: duplicates(server, called),
      keyReuse: keyReuse(server, called) ?? { repeated: 0, different: 0 },
      confusions: (confusionsOf.get(toToolKey(name)) ?? [])
        .filter(({ isCurrent }) => isCurrent)
        .flatMap((one) => toConfusionEvidence(one, { tool: called, tools: offered.get(server) ?? [] }) ?? []),
      versions: stale(server, called),
    };
    const others = tools.get(server);
    if (others) others.push(evidence);
    else tools.set(server, [evidence]);
  }
  const named = await Promise.all(
    [...tools].map(
      async ([of, own]) =>
        [of, await addCapturedValues(own, { server: of, windows, filters }, context)] as const,
    ),
  );
  return { order, page, calledVersions, tools: new Map(named) };
}

/** Matches messages about a missing value. */
const INCOMPLETE = /\b(?:required|missing|must have|not provided|undefined)\b/i;

/** Top-level arguments of the current definition; arguments that are never sent are evidence too. */
function listDeclaredNames(
  definitions: readonly ListedDefinition[],
  { server, tool }: ToolIdentity,
): string[] {
  const current = definitions.findLast(
    (listed) => listed.isCurrent && listed.server === server && listed.tool === tool,
  )?.definition;
  if (current === undefined) return [];
  return declaredArguments(current).flatMap(({ path, depth }) => (depth === 0 ? [path] : []));
}

interface ArgumentContext {
  readonly failures: readonly FailureEvidence[];
  /** Names of top-level arguments, sent or not. */
  readonly declared: readonly string[];
}

/** Top-level arguments, and nested ones that were sent or refused. */
export function toArguments(use: ArgumentUse, { failures, declared }: ArgumentContext): ArgumentEvidence[] {
  const shapes = toPathFacts(use.shapes);
  const shaped = use.shapes.reduce((sum, { calls }) => sum + calls, 0);
  const refused = failures.filter(
    ({ outcome, argument }) => outcome === 'invalid_arguments' && argument !== '',
  );
  const above = refused.flatMap(({ argument }) => listParentPaths(argument));
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
      invalid: sumCalls(refused.filter(({ argument }) => argument === path)),
      incomplete: sumCalls(
        refused.filter(
          ({ argument, template }) => listParentPaths(argument).includes(path) && INCOMPLETE.test(template),
        ),
      ),
      // Rules say "always" and "only", so a lower bound cannot be used.
      compared: name?.exact_compared ?? 0,
      distinct: name?.exact_distinct ?? 0,
      mostFrequent: name?.exact_most ?? 0,
      types: facts?.types ?? {},
      longestText: facts?.longestText ?? 0,
    };
  });
}

function sumCalls(failures: readonly FailureEvidence[]): number {
  return failures.reduce((sum, { calls }) => sum + calls, 0);
}

/** Example: `items[].sku` has the parents `items[]` and `items`. */
function listParentPaths(path: string): string[] {
  const parents: string[] = [];
  for (const match of path.matchAll(/\.|\[/g)) if (match.index > 0) parents.push(path.slice(0, match.index));
  return [...new Set(parents)];
}
