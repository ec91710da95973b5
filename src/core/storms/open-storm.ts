// A storm while it is open. It grows with every call that belongs to it, and keeps only hashes of its
// sessions.

import { createHash } from 'node:crypto';
import { hashText } from '../model/hash-text.ts';
import type { LoopCause, LoopState } from '../model/loop-record.ts';
import type { StormKind, StormRecord } from '../model/storm-record.ts';
import type { ServerEnvironment } from './failure-signature.ts';

export interface OpenStorm extends StormSubject {
  readonly id: string;
  /** Start of its first call, in microseconds since the epoch. */
  readonly firstUs: number;
  lastUs: number;
  state: LoopState;
  readonly tools: Set<string>;
  /** Hashes of their keys. */
  readonly sessions: Set<number>;
  calls: number;
  /** Whether all sessions that called these tools were affected, as of the last check. */
  isEverybody: boolean;
}

interface StormSubject extends ServerEnvironment {
  readonly kind: StormKind;
  /** The error code of a failure; the kind of a loop. */
  readonly code: string;
  readonly template: string;
  readonly isOutage: boolean;
}

/**
 * Several tools with the same failure, or an outage, point to the server; a single tool with its own error
 * points to the tool.
 */
function stormCauseOf({ kind, isOutage, tools }: Pick<OpenStorm, 'kind' | 'isOutage' | 'tools'>): LoopCause {
  return isOutage || (kind === 'failure' && tools.size > 1) ? 'server' : 'tool';
}

function describeStorm(storm: OpenStorm): string {
  return storm.kind === 'loop' ? describeLoopStorm(storm) : describeFailureStorm(storm);
}

function describeFailureStorm(storm: OpenStorm): string {
  const { server, code, template, sessions, calls, tools, isEverybody } = storm;
  const what = template === '' ? code : `${code} (${template})`;
  const subject = stormCauseOf(storm) === 'server' ? 'the server' : 'the tool';
  const whom = isEverybody ? 'everybody who calls it' : 'at least half of the sessions that call it';
  return `${server} answers ${what} to ${formatCountedNoun(sessions.size, 'session')} for ${formatStormDuration(storm)} (${formatCountedNoun(calls, 'call')}, ${formatTools(tools)}): ${subject} fails for ${whom}.`;
}

function describeLoopStorm(storm: OpenStorm): string {
  const { server, code, sessions, calls, tools } = storm;
  const kind = code.replaceAll('_', ' ');
  return `${formatCountedNoun(sessions.size, 'session')} of ${server} go round in the same loop within ${formatStormDuration(storm)} (${kind} of ${formatTools(tools)}, ${formatCountedNoun(calls, 'call')} wasted).`;
}

const MAX_LISTED_TOOLS = 3;

function formatTools(tools: ReadonlySet<string>): string {
  const names = [...tools].sort().map((name) => name || 'a tool');
  const more = names.length - MAX_LISTED_TOOLS;
  const parts = more > 1 ? [...names.slice(0, MAX_LISTED_TOOLS), `${more} other tools`] : names;
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Thin spaces between thousands. */
function formatCountedNoun(n: number, noun: string): string {
  const digits = String(n).replace(/\B(?=(\d{3})+$)/g, '\u2009');
  return `${digits} ${noun}${n === 1 ? '' : 's'}`;
}

function formatStormDuration({ firstUs, lastUs }: OpenStorm): string {
  const seconds = Math.max(1, Math.round((lastUs - firstUs) / 1e6));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

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
