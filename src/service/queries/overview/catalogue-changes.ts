// Tools that were added, removed or changed according to the listings, with call outcomes under the
// definition before and after.

import type { ChangeRow } from '../../../contract/changes.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { compareDefinitions } from '../../../core/advice/compare-definitions.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { clipToRetention } from '../query/call-window.ts';
import type { CommonFilters } from '../query/filters.ts';
import { toPreviousRange } from '../query/grain.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import { toToolKey } from '../query/tool-identity.ts';
import { type ListedDefinition, readDefinitions } from '../tools/definitions.ts';
import { type DefinitionUse, readDefinitionUse } from '../tools/tool-versions.ts';
import { readRemovalTimes } from './removal-times.ts';

/** Changed tools whose calls are counted; the newest if there are more. */
const MAX_CHANGED_TOOLS = 50;
const NO_COMPARISON = { before: null, after: null, isBreaking: false };

const isWithin = (us: number, { fromMs, toMs }: TimeRange): boolean =>
  us >= fromMs * 1_000 && us < toMs * 1_000;

/** Tools that were added, removed or changed. The first listing of a server is not a change. */
export async function readCatalogueChanges(
  range: TimeRange,
  filters: CommonFilters,
  context: QueryContext,
): Promise<ChangeRow[]> {
  const definitions = await readDefinitions(filters, context);
  const changed = definitions.filter((listed, at) => {
    const before = findPrevious(definitions.slice(0, at), listed);
    return before !== undefined && isWithin(listed.firstUs, range);
  });
  const uses = changed.length === 0 ? [] : await readUsesAround(range, { filters, changed }, context);
  const firstOf = toFirstListings(await readUnfilteredDefinitions(filters, definitions, context));
  const removed = findRemovedTools(definitions);
  const removedAt = await readRemovalTimes(removed, filters.environment, context);
  return [
    ...changed.flatMap((listed) => {
      const before = findPrevious(definitions.slice(0, definitions.indexOf(listed)), listed);
      return before === undefined ? [] : [toDefinitionChange(before, listed, uses)];
    }),
    ...definitions
      .filter(
        (listed, at) =>
          findPrevious(definitions.slice(0, at), listed) === undefined && isWithin(listed.firstUs, range),
      )
      .filter(({ server, firstUs }) => firstUs > (firstOf.get(server) ?? 0))
      .map((listed) => toToolChange('tool_added', listed, listed.firstUs)),
    ...removed
      .filter((listed) => isWithin(removedAt(listed), range))
      .map((listed) => toToolChange('tool_removed', listed, removedAt(listed))),
  ];
}

/** Definitions that changed in the range in a way that breaks callers, without counting calls. */
export async function readBreakingChanges(range: TimeRange, context: QueryContext): Promise<ChangeRow[]> {
  const definitions = await readDefinitions({}, context);
  return definitions.flatMap((listed, at) => {
    if (!isWithin(listed.firstUs, range)) return [];
    const before = findPrevious(definitions.slice(0, at), listed);
    const change = before && toDefinitionChange(before, listed, []);
    return change?.isBreaking ? [change] : [];
  });
}

/** A tool filter hides the other tools, which are needed to recognise a server's first listing. */
async function readUnfilteredDefinitions(
  filters: CommonFilters,
  definitions: readonly ListedDefinition[],
  context: QueryContext,
) {
  return filters.tool === undefined ? definitions : readDefinitions({ ...filters, tool: undefined }, context);
}

function toFirstListings(definitions: readonly ListedDefinition[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const { server, firstUs } of definitions)
    first.set(server, Math.min(firstUs, first.get(server) ?? Number.POSITIVE_INFINITY));
  return first;
}

function findPrevious(earlier: readonly ListedDefinition[], { server, tool }: ListedDefinition) {
  return earlier.findLast((other) => other.server === server && other.tool === tool);
}

/** The last definition of each tool that is missing from the newest listings. */
export function findRemovedTools(definitions: readonly ListedDefinition[]): ListedDefinition[] {
  const last = new Map<string, ListedDefinition>();
  for (const listed of definitions) {
    const key = toToolKey(listed);
    const other = last.get(key);
    if (other === undefined || listed.isCurrent || (!other.isCurrent && listed.lastUs >= other.lastUs))
      last.set(key, listed);
  }
  return [...last.values()].filter(({ isCurrent }) => !isCurrent);
}

function toToolChange(kind: 'tool_added' | 'tool_removed', listed: ListedDefinition, us: number): ChangeRow {
  return {
    ...NO_COMPARISON,
    kind,
    at: formatIso(us),
    server: listed.server,
    environment: listed.environments.length === 1 ? (listed.environments[0] ?? '') : '',
    tool: listed.tool,
    sentence: kind === 'tool_added' ? `${listed.tool} is new` : `${listed.tool} is no longer listed`,
    isBreaking: kind === 'tool_removed',
  };
}

function toDefinitionChange(
  before: ListedDefinition,
  after: ListedDefinition,
  uses: readonly DefinitionUse[],
): ChangeRow {
  const differences =
    before.definition === undefined || after.definition === undefined
      ? []
      : compareDefinitions([before.definition], [after.definition]);
  const sentences = differences.slice(0, 3).map(({ sentence }) => sentence);
  const isBreaking = differences.some(({ breaking }) => breaking);
  const breaksPromise = differences.some((difference) => difference.breaksPromise);
  return {
    kind: 'definition',
    at: formatIso(after.firstUs),
    server: after.server,
    environment: after.environments.length === 1 ? (after.environments[0] ?? '') : '',
    tool: after.tool,
    sentence: `${after.tool}: ${sentences.join('; ') || 'its definition was reworded'}${
      differences.length > 3 ? ` and ${differences.length - 3} more` : ''
    }${isBreaking ? ' (breaking)' : breaksPromise ? ' (promise broken)' : ''}`,
    isBreaking,
    before: toErrorRate(before, uses),
    after: toErrorRate(after, uses),
  };
}

function toErrorRate({ server, tool, hash }: ListedDefinition, uses: readonly DefinitionUse[]) {
  const use = uses.find((one) => one.server === server && one.tool === tool && one.hash === hash);
  const { value, n } = toProportion(use?.failed ?? 0, use?.n ?? 0);
  return { value, n };
}

interface DefinitionUseQuery {
  readonly filters: CommonFilters;
  readonly changed: readonly ListedDefinition[];
}

/** Covers the range and an equal time before it, so that the previous definition has calls too. */
async function readUsesAround(
  range: TimeRange,
  { filters, changed }: DefinitionUseQuery,
  context: QueryContext,
): Promise<DefinitionUse[]> {
  const kept = clipToRetention({ fromMs: toPreviousRange(range, context).fromMs, toMs: range.toMs }, context);
  if (kept === undefined) return [];
  const tools = [...new Set(changed.map(({ tool }) => tool))].slice(-MAX_CHANGED_TOOLS);
  return readDefinitionUse({ span: kept, filters, tools }, context);
}
