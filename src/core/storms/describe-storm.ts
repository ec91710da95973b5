// Describes a storm for display: what fails, how, for how many sessions, for how long, and the likely cause.

import { stormCauseOf } from './cause.ts';
import type { OpenStorm } from './storm-in-progress.ts';

export function describeStorm(storm: OpenStorm): string {
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
