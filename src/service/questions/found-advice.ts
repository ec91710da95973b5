// What the rules of advice find on the servers that were asked about: each finding under an id of its own, with the definition
// and the version it was found on, so that a later one can be told from it.

import { createHash } from 'node:crypto';
import { advise, findingKey } from '../../core/advice/advise.ts';
import type { Finding } from '../../core/advice/finding.ts';
import { noEvidence } from '../../core/advice/tool-evidence.ts';
import type { AdviceMemory, SeenAdvice } from './advice-memory.ts';
import { type BesideCatalogue, cataloguesBeside, isBeside } from './beside-definitions.ts';
import { currentTools, type ListedDefinition } from './definitions.ts';
import type { Evidence } from './evidence.ts';

const HOUR_MS = 3_600_000;

/** A finding with the server it is about, and the definition it was found on. */
export interface FoundAdvice {
  readonly id: string;
  readonly server: string;
  readonly finding: Finding;
  readonly definitionHash: string;
  readonly serverVersion: string;
}

/**
 * What the rules find in the evidence: on what is current, and then what only a definition in use beside it still shows.
 *
 * @param tool only of this one, where one is named
 */
export function evaluateRules(evidence: Evidence, tool: string | undefined): FoundAdvice[] {
  const { definitions, tools } = evidence;
  return [...tools].flatMap(([server, own]) => {
    const found = new Map<string, FoundAdvice>();
    for (const finding of advise(currentTools(definitions, server), own)) {
      const id = adviceId(server, finding);
      found.set(id, { id, server, finding, ...versionOf(definitions, { server, tool: finding.tool }) });
    }
    for (const catalogue of cataloguesBeside(definitions, server))
      for (const one of findBeside(catalogue, evidence)) if (!found.has(one.id)) found.set(one.id, one);
    return [...found.values()].filter(({ finding }) => tool === undefined || finding.tool === tool);
  });
}

function findBeside({ server, listed }: BesideCatalogue, { tools, beside }: Evidence): FoundAdvice[] {
  const own = (tools.get(server) ?? []).flatMap((evidence) => {
    const definition = listed.find(({ tool }) => tool === evidence.tool);
    if (definition === undefined) return [];
    if (!isBeside(definition)) return [evidence];
    return [beside.find((one) => one.listed === definition)?.evidence ?? noEvidence(evidence.tool)];
  });
  const offered = listed.flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
  return advise(offered, own).map((finding) => {
    const about = listed.find(({ tool }) => tool === finding.tool);
    const version = (about ?? listed.at(-1))?.serverVersions.at(-1) ?? '';
    return {
      id: adviceId(server, finding),
      server,
      finding: { ...finding, finding: `${finding.finding} ${seenOn(version)}` },
      definitionHash: about?.hash ?? hashOf(listed.map(({ hash }) => hash)),
      serverVersion: version,
    };
  });
}

const seenOn = (version: string): string =>
  `Seen on ${version === '' ? 'an earlier definition' : version}, in use beside the current one.`;

/** Stable over time, and fit for a path of a URL. */
export function adviceId(server: string, finding: Finding): string {
  return createHash('sha256')
    .update(`${server}\n${findingKey(finding)}`)
    .digest('hex')
    .slice(0, 16);
}

/** What is current of a tool; of all tools of a server, for what is about none. */
export function versionOf(
  definitions: readonly ListedDefinition[],
  { server, tool }: { readonly server: string; readonly tool: string },
): { readonly definitionHash: string; readonly serverVersion: string } {
  const current = definitions.filter(
    (listed) => listed.server === server && listed.isCurrent && (tool === '' || listed.tool === tool),
  );
  const newest = current.reduce<ListedDefinition | undefined>(
    (best, listed) => (best === undefined || listed.firstUs >= best.firstUs ? listed : best),
    undefined,
  );
  const hashes = current.map(({ hash }) => hash);
  const definitionHash = hashes.length === 1 && tool !== '' ? (hashes[0] ?? '') : hashOf(hashes);
  return { definitionHash, serverVersion: newest?.serverVersions.at(-1) ?? '' };
}

const hashOf = (hashes: readonly string[]): string =>
  createHash('sha256')
    .update([...hashes].sort().join('\n'))
    .digest('hex')
    .slice(0, 16);

/** What is new, met another definition, or was last written an hour ago: as it is to be remembered. */
export function toRemember(
  found: readonly FoundAdvice[],
  { seen }: AdviceMemory,
  nowMs: number,
): SeenAdvice[] {
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
