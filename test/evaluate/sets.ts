// The sets of labelled sessions that a detector is evaluated on.

import { OWN_TOOL_KINDS } from './own-tool-stretches.ts';
import { spliceOwnTools, spliceSynthetic } from './splice.ts';
import type { StretchKind } from './stretch-kind.ts';
import type { LabelledSession, SessionLabel } from './synthetic-call.ts';
import { LOOP_KINDS } from './synthetic-loops.ts';
import { CLEAN_KINDS, makeSyntheticSession } from './synthetic-sessions.ts';
import type { TargetSession } from './target-session.ts';

export interface LabelledSet {
  readonly name: string;
  readonly sessions: Iterable<LabelledSession>;
}

export interface SampleOptions {
  /** Sessions of each kind. */
  readonly count: number;
  /** Seeds that nobody has looked at while developing; without it those of development. */
  readonly seed?: number | undefined;
}

/** A seed for the n-th session of a kind: those of development and those of a check have nothing in common. */
export function seedOf(kind: string, at: number, seed?: number): number {
  let hash = 0x811c9dc5;
  for (const unit of `${seed === undefined ? 'development' : `check ${seed}`}/${kind}/${at}`)
    hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

const ALL_KINDS: readonly (readonly [SessionLabel, StretchKind])[] = [
  ...CLEAN_KINDS.map((kind) => ['clean', kind] as const),
  ...LOOP_KINDS.map((kind) => ['loop', kind] as const),
];

/** Made sessions of every kind. */
export function* makeSyntheticSessions({ count, seed }: SampleOptions): Generator<LabelledSession> {
  for (const [label, kind] of ALL_KINDS)
    for (let at = 0; at < count; at++)
      yield makeSyntheticSession(kind, { label, seed: seedOf(kind.name, at, seed) });
}

/** Stretches of every kind in those sessions; the host's own tools first. */
export function* makeSplicedSessions(
  hosts: readonly TargetSession[],
  { count, seed }: SampleOptions,
): Generator<LabelledSession> {
  for (const kind of OWN_TOOL_KINDS)
    for (const [host, drawn] of sampleTargets(hosts, kind.name, { count, seed })) {
      const spliced = spliceOwnTools(host, kind, drawn);
      if (spliced) yield spliced;
    }
  const timed = hosts.filter(({ calls }) => calls.every(({ startedAtMs = 0 }) => startedAtMs > 0));
  for (const [label, kind] of ALL_KINDS)
    for (const [host, drawn] of sampleTargets(kind.needsTimes ? timed : hosts, `among ${kind.name}`, {
      count,
      seed,
    }))
      yield spliceSynthetic(host, kind, { label, seed: drawn });
}

function sampleTargets(
  hosts: readonly TargetSession[],
  kind: string,
  { count, seed }: SampleOptions,
): (readonly [TargetSession, number])[] {
  if (hosts.length === 0) return [];
  return Array.from({ length: count }, (_, at) => {
    const drawn = seedOf(kind, at, seed);
    return [hosts[drawn % hosts.length]!, drawn] as const;
  });
}
