// Runs the advice rules on the servers of a query. Each finding gets its own id, the definition and the
// version it was found on, so that later findings can be compared with it.

import { createHash } from 'node:crypto';
import { type FilterValue, passesFilter } from '../../../contract/filter-value.ts';
import { advise, findingKey } from '../../../core/advice/advise.ts';
import type { Finding } from '../../../core/advice/finding.ts';
import { emptyToolEvidence } from '../../../core/advice/tool-evidence.ts';
import type { ToolIdentity } from '../query/tool-identity.ts';
import { type ListedDefinition, listCurrentTools } from '../tools/definitions.ts';
import type { AdviceHistory, StoredAdvice } from './advice-repository.ts';
import {
  type ConcurrentCatalogue,
  findConcurrentCatalogues,
  isConcurrentDefinition,
} from './concurrent-definitions.ts';
import type { Evidence } from './evidence.ts';

const HOUR_MS = 3_600_000;

/** A finding with its server and the definition it was found on. */
export interface AdviceItem {
  readonly id: string;
  readonly server: string;
  readonly finding: Finding;
  readonly definitionHash: string;
  readonly serverVersion: string;
}

/**
 * Evaluates the rules on the current definitions, then adds what only a concurrent definition in use still
 * shows.
 *
 * @param tool limits the findings to these tools
 */
export function evaluateRules(evidence: Evidence, tool: FilterValue | undefined): AdviceItem[] {
  const { definitions, tools } = evidence;
  return [...tools].flatMap(([server, own]) => {
    const found = new Map<string, AdviceItem>();
    for (const finding of advise(listCurrentTools(definitions, server), own)) {
      const id = toAdviceId(server, finding);
      found.set(id, {
        id,
        server,
        finding,
        ...toCurrentVersion(definitions, { server, tool: finding.tool }),
      });
    }
    for (const catalogue of findConcurrentCatalogues(definitions, server))
      for (const one of evaluateConcurrent(catalogue, evidence))
        if (!found.has(one.id)) found.set(one.id, one);
    return [...found.values()].filter(({ finding }) => passesFilter(tool, finding.tool));
  });
}

function evaluateConcurrent(
  { server, listed }: ConcurrentCatalogue,
  { tools, concurrent }: Evidence,
): AdviceItem[] {
  const own = (tools.get(server) ?? []).flatMap((evidence) => {
    const definition = listed.find(({ tool }) => tool === evidence.tool);
    if (definition === undefined) return [];
    if (!isConcurrentDefinition(definition)) return [evidence];
    return [
      concurrent.find((one) => one.listed === definition)?.evidence ?? emptyToolEvidence(evidence.tool),
    ];
  });
  const offered = listed.flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
  return advise(offered, own).map((finding) => {
    const about = listed.find(({ tool }) => tool === finding.tool);
    const version = (about ?? listed.at(-1))?.serverVersions.at(-1) ?? '';
    return {
      id: toAdviceId(server, finding),
      server,
      finding: { ...finding, finding: `${finding.finding} ${describeSeenOn(version)}` },
      definitionHash: about?.hash ?? hashDefinitions(listed.map(({ hash }) => hash)),
      serverVersion: version,
    };
  });
}

const describeSeenOn = (version: string): string =>
  `Seen on ${version === '' ? 'an earlier definition' : version}, in use beside the current one.`;

/** Stable over time and usable in a URL path. */
export function toAdviceId(server: string, finding: Finding): string {
  return createHash('sha256')
    .update(`${server}\n${findingKey(finding)}`)
    .digest('hex')
    .slice(0, 16);
}

/** The current definitions of a tool, or of a server for an empty tool; and the latest first seen of them. */
export function findCurrentDefinitions(
  definitions: readonly ListedDefinition[],
  { server, tool }: ToolIdentity,
): { readonly current: readonly ListedDefinition[]; readonly newest: ListedDefinition | undefined } {
  const current = definitions.filter(
    (listed) => listed.server === server && listed.isCurrent && (tool === '' || listed.tool === tool),
  );
  const latestUs = Math.max(...current.map(({ firstUs }) => firstUs));
  return { current, newest: current.findLast(({ firstUs }) => firstUs === latestUs) };
}

/** The current version of a tool, or of all tools of a server for a finding without a tool. */
export function toCurrentVersion(
  definitions: readonly ListedDefinition[],
  { server, tool }: ToolIdentity,
): { readonly definitionHash: string; readonly serverVersion: string } {
  const { current, newest } = findCurrentDefinitions(definitions, { server, tool });
  const hashes = current.map(({ hash }) => hash);
  const definitionHash = hashes.length === 1 && tool !== '' ? (hashes[0] ?? '') : hashDefinitions(hashes);
  return { definitionHash, serverVersion: newest?.serverVersions.at(-1) ?? '' };
}

const hashDefinitions = (hashes: readonly string[]): string =>
  createHash('sha256')
    .update([...hashes].sort().join('\n'))
    .digest('hex')
    .slice(0, 16);

/** The advice to store: new, found on another definition, or last written more than an hour ago. */
export function toStoredAdvice(
  found: readonly AdviceItem[],
  { seen }: AdviceHistory,
  nowMs: number,
): StoredAdvice[] {
  const known = new Map(seen.map((one) => [one.id, one]));
  return found
    .filter(({ id, definitionHash }) => {
      const before = known.get(id);
      return (
        before === undefined ||
        before.definitionHash !== definitionHash ||
        nowMs - before.lastSeenMs >= HOUR_MS
      );
    })
    .map((one) => ({
      ...one,
      firstSeenMs: known.get(one.id)?.firstSeenMs ?? nowMs,
      lastSeenMs: nowMs,
    }));
}
