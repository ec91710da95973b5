// A storm while it is open. It grows with every call that belongs to it, and keeps only hashes of its
// sessions.

import { createHash } from 'node:crypto';
import { hashText } from '../model/hash-text.ts';
import type { StormRecord } from '../model/storm-record.ts';
import { stormCauseOf } from './cause.ts';
import { describeStorm } from './describe-storm.ts';
import type { OpenStorm } from './storm-in-progress.ts';
import type { StormSubject } from './storm-subject.ts';

/** Further sessions are not distinguished; the count stops here. */
const MAX_SESSIONS = 50_000;
const MAX_TOOLS = 32;

/** @param firstUs start of its first call */
export function openStorm(
  subject: StormSubject,
  firstUs: number,
  id = toStormId(subject, firstUs),
): OpenStorm {
  return {
    ...{ ...subject, id, firstUs, lastUs: firstUs, state: 'active', calls: 0, isEverybody: true },
    tools: new Set(),
    sessions: new Set(),
  };
}

/** Derived from the subject and the first call, so that a storm detected again gets the same id. */
function toStormId({ server, environment, kind, code, template }: StormSubject, firstUs: number): string {
  const text = JSON.stringify([server, environment, kind, code, template, firstUs]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export interface StormContribution {
  readonly session: string;
  readonly tools: Iterable<string>;
  readonly calls: number;
}

/** Adds a session's contribution. */
export function addContribution(storm: OpenStorm, { session, tools, calls }: StormContribution): void {
  if (storm.sessions.size < MAX_SESSIONS) storm.sessions.add(hashText(session, 0));
  for (const tool of tools) if (storm.tools.size < MAX_TOOLS) storm.tools.add(tool);
  storm.calls += calls;
}

export function extendStorm(storm: OpenStorm, atUs: number): void {
  storm.lastUs = Math.max(storm.lastUs, atUs);
  storm.state = 'active';
}

/** Restores a stored storm, without its sessions and calls. */
export function reopenStorm(record: StormRecord): OpenStorm {
  const { server, environment, kind, code, template, cause } = record;
  const isOutage = kind === 'failure' && template === '' && cause === 'server';
  const storm = openStorm({ server, environment, kind, code, template, isOutage }, record.firstUs, record.id);
  for (const tool of record.tools) storm.tools.add(tool);
  storm.isEverybody = record.isEverybody;
  extendStorm(storm, record.lastUs);
  return storm;
}

export function toStormRecord(storm: OpenStorm): StormRecord {
  const { id, server, environment, kind, code, template, firstUs, lastUs, state, calls, isEverybody } = storm;
  return {
    ...{ id, server, environment, kind, code, template, firstUs, lastUs, state, calls, isEverybody },
    tools: [...storm.tools].sort(),
    sessions: storm.sessions.size,
    sentence: describeStorm(storm),
    cause: stormCauseOf(storm),
  };
}
