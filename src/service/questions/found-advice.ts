// What the rules of advice find on the servers that were asked about: each finding under an id of its own, with the definition
// and the version it was found on, so that a later one can be told from it.

import { createHash } from 'node:crypto';
import { advise, findingKey } from '../../core/advice/advise.ts';
import type { Finding } from '../../core/advice/finding.ts';
import type { AdviceMemory, SeenAdvice } from './advice-memory.ts';
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

/** What the rules find in the evidence; only of one tool, where one is named. */
export function evaluateRules({ definitions, tools }: Evidence, tool: string | undefined): FoundAdvice[] {
  return [...tools].flatMap(([server, evidence]) =>
    advise(currentTools(definitions, server), evidence)
      .filter((finding) => tool === undefined || finding.tool === tool)
      .map((finding) => ({
        id: adviceId(server, finding),
        server,
        finding,
        ...versionOf(definitions, { server, tool: finding.tool }),
      })),
  );
}

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
    (best, listed) => (best === undefined || listed.lastUs >= best.lastUs ? listed : best),
    undefined,
  );
  const hashes = current.map(({ hash }) => hash).sort();
  const definitionHash =
    hashes.length === 1 && tool !== ''
      ? (hashes[0] ?? '')
      : createHash('sha256').update(hashes.join('\n')).digest('hex').slice(0, 16);
  return { definitionHash, serverVersion: newest?.serverVersions.at(-1) ?? '' };
}

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
