// The sets of labelled sessions that a detector is evaluated on.
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';
import type { Label, LabelledSession } from './made-call.ts';
import { LOOP_KINDS } from './made-loops.ts';
import { CLEAN_KINDS, makeSession } from './made-sessions.ts';
import { OWN_KINDS } from './own-stretches.ts';
import { spliceMade, spliceOwn } from './splice.ts';

export interface LabelledSet {
  readonly name: string;
  readonly sessions: Iterable<LabelledSession>;
}

export interface Draw {
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

const ALL_KINDS: readonly (readonly [Label, Kind])[] = [
  ...CLEAN_KINDS.map((kind) => ['clean', kind] as const),
  ...LOOP_KINDS.map((kind) => ['loop', kind] as const),
];

/** Made sessions of every kind. */
export function* makeAll({ count, seed }: Draw): Generator<LabelledSession> {
  for (const [label, kind] of ALL_KINDS)
    for (let at = 0; at < count; at++) yield makeSession(kind, { label, seed: seedOf(kind.name, at, seed) });
}

/** Stretches of every kind in those sessions; the host's own tools first. */
export function* spliceAll(hosts: readonly Host[], { count, seed }: Draw): Generator<LabelledSession> {
  for (const kind of OWN_KINDS)
    for (const [host, drawn] of drawHosts(hosts, kind.name, { count, seed })) {
      const spliced = spliceOwn(host, kind, drawn);
      if (spliced) yield spliced;
    }
  const timed = hosts.filter(({ calls }) => calls.every(({ startedAtMs = 0 }) => startedAtMs > 0));
  for (const [label, kind] of ALL_KINDS)
    for (const [host, drawn] of drawHosts(kind.needsTimes ? timed : hosts, `among ${kind.name}`, {
      count,
      seed,
    }))
      yield spliceMade(host, kind, { label, seed: drawn });
}

function drawHosts(hosts: readonly Host[], kind: string, { count, seed }: Draw): (readonly [Host, number])[] {
  if (hosts.length === 0) return [];
  return Array.from({ length: count }, (_, at) => {
    const drawn = seedOf(kind, at, seed);
    return [hosts[drawn % hosts.length]!, drawn] as const;
  });
}
