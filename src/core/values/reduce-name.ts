// Names and ids travel in every capture mode, because nothing could be counted without them; but many are chosen by a
// client: an agent can call a tool named after a key, and a session may be named by an address. Only `full` leaves them.
import { isFingerprint } from './fingerprint.ts';
import { redactName } from './redaction.ts';
import type { Reduction } from './reduction.ts';

/** UTF-16 units of a name; it becomes the key of rows. */
const NAME_LIMIT = 256;

/** A name (of a tool, server, client, version, method…) without secrets, at most 256 long. */
export function reduceName(name: string, { capture }: Pick<Reduction, 'capture'>): string {
  return capture === 'full' ? name.slice(0, NAME_LIMIT) : redactName(name, NAME_LIMIT);
}

/**
 * An id without secrets: like a name, but what was taken out leaves a keyed hash, so that two sessions which were named
 * by two tokens stay two.
 */
export function reduceId(id: string, reduction: Reduction): string {
  const reduced = reduceName(id, reduction);
  if (reduced === id.slice(0, NAME_LIMIT)) return reduced;
  return `${reduced.slice(0, NAME_LIMIT - 17)}~${reduction.fingerprinter.fingerprint(id)}`;
}

/** Whoever is calling: a fingerprint as it is, everything else as its keyed hash, in every mode. */
export function reducePrincipal(principal: string, { fingerprinter }: Reduction): string {
  return principal === '' || isFingerprint(principal) ? principal : fingerprinter.fingerprint(principal);
}
