// The likely cause of a change, by the share of the excess: the failed, slow or missing calls that the usual
// level does not explain. A version or client is a cause only if it has clearly more of the excess than of the
// calls, because a failing dependency shows in all of them.

import type { CauseKind } from '../model/change-point-kinds.ts';

export interface LikelyCause {
  readonly kind: CauseKind;
  readonly name: string;
  /** Share of the excess, from 0 to 1. */
  readonly share: number;
}

/** Calls during the change with one version, client, argument or code. */
export interface CausePart {
  readonly name: string;
  readonly calls: number;
  readonly hits: number;
  /** Hits if the part were as usual. */
  readonly usual: number;
}

/** What child spans say of a dependency. */
export interface DependencyPart {
  readonly name: string;
  /** Share of the excess, from 0 to 1. */
  readonly share: number;
}

export interface CauseEvidence {
  readonly versions: readonly CausePart[];
  readonly clients: readonly CausePart[];
  /** Failed calls by the argument that was refused; the calls are those of the tool. */
  readonly arguments: readonly CausePart[];
  readonly codes: readonly CausePart[];
  /** Of the time of the calls for latency, of the failed calls for errors; empty without child spans. */
  readonly dependencies: readonly DependencyPart[];
  /** Versions that were first seen at about the onset. */
  readonly newVersions: readonly NewVersion[];
}

interface NewVersion {
  readonly version: string;
  /** Whether it has another definition of the tool than the version before. */
  readonly hasNewDefinition: boolean;
}

/** Share of the excess without which nothing is named. */
const MIN_SHARE = 0.6;
/** Share of the excess above the share of the calls, and standard deviations of chance. */
const MIN_CONCENTRATION = 0.15;
const MIN_DEVIATIONS = 2.5;

/** Most likely first; empty if the excess is spread over everything. */
export function rankCauses(evidence: CauseEvidence): LikelyCause[] {
  const { versions, clients, newVersions } = evidence;
  const concentrated = [
    ...newVersions.flatMap((one) => nameNewVersion(evidence, one)),
    ...findConcentrated('client', clients),
    ...findConcentrated('version', versions),
  ];
  const parts = [
    ...findDependencies(evidence.dependencies),
    ...findMain('argument', evidence.arguments),
    ...findMain('code', evidence.codes),
  ];
  const seen = new Set<string>();
  return [...concentrated, ...parts].filter(({ kind, name }) => {
    const key = `${kind === 'definition' ? 'version' : kind} ${name}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** With its definition, if that is what changed and calls are refused for their arguments. */
function nameNewVersion(
  { versions, arguments: refused }: CauseEvidence,
  { version, hasNewDefinition }: NewVersion,
): LikelyCause[] {
  const share = toExcessShares(versions).get(version) ?? 0;
  if (share < MIN_SHARE) return [];
  const isRefused = findMain('argument', refused).length > 0;
  return [{ kind: hasNewDefinition && isRefused ? 'definition' : 'version', name: version, share }];
}

function findConcentrated(kind: 'client' | 'version', parts: readonly CausePart[]): LikelyCause[] {
  const shares = toExcessShares(parts);
  const [calls, hits] = [sumOf(parts, 'calls'), sumOf(parts, 'hits')];
  const excess = hits - sumOf(parts, 'usual');
  return parts
    .flatMap((part) => {
      const share = shares.get(part.name) ?? 0;
      // A client without calls before brings its own.
      const ofCalls = calls === 0 ? 0 : part.calls / calls;
      const deviation = ((share - ofCalls) * Math.abs(excess)) / Math.sqrt(Math.max(1, hits * ofCalls));
      const isConcentrated = share - ofCalls >= MIN_CONCENTRATION && deviation >= MIN_DEVIATIONS;
      return share >= MIN_SHARE && isConcentrated ? [{ kind, name: part.name, share }] : [];
    })
    .sort((one, other) => other.share - one.share);
}

function findDependencies(parts: readonly DependencyPart[]): LikelyCause[] {
  return parts
    .filter(({ share }) => share >= MIN_SHARE)
    .map(({ name, share }): LikelyCause => ({ kind: 'dependency', name, share }))
    .sort((one, other) => other.share - one.share);
}

function findMain(kind: 'argument' | 'code', parts: readonly CausePart[]): LikelyCause[] {
  const shares = toExcessShares(parts);
  return [...shares]
    .flatMap(([name, share]) => (name !== '' && share >= MIN_SHARE ? [{ kind, name, share }] : []))
    .sort((one, other) => other.share - one.share);
}

/** Share of the whole difference by name; at most 1. */
function toExcessShares(parts: readonly CausePart[]): Map<string, number> {
  const excess = sumOf(parts, 'hits') - sumOf(parts, 'usual');
  return new Map(
    parts.map(({ name, hits, usual }) => [
      name,
      excess === 0 ? 0 : Math.min(1, Math.max(0, (hits - usual) / excess)),
    ]),
  );
}

const sumOf = (parts: readonly CausePart[], field: 'calls' | 'hits' | 'usual'): number =>
  parts.reduce((sum, part) => sum + part[field], 0);
