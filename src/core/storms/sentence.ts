// What a storm says to a person: who fails how for how many, for how long, and whose fault it looks like.

import { causeOf } from './cause.ts';
import type { OpenStorm } from './open-storm.ts';

export function stormSentence(storm: OpenStorm): string {
  return storm.kind === 'loop' ? ofLoops(storm) : ofFailures(storm);
}

function ofFailures(storm: OpenStorm): string {
  const { server, code, template, sessions, calls, tools, isEverybody } = storm;
  const what = template === '' ? code : `${code} (${template})`;
  const subject = causeOf(storm) === 'server' ? 'the server' : 'the tool';
  const whom = isEverybody ? 'everybody who calls it' : 'at least half of the sessions that call it';
  return `${server} answers ${what} to ${count(sessions.size, 'session')} for ${span(storm)} (${count(calls, 'call')}, ${listed(tools)}): ${subject} fails for ${whom}.`;
}

function ofLoops(storm: OpenStorm): string {
  const { server, code, sessions, calls, tools } = storm;
  const kind = code.replaceAll('_', ' ');
  return `${count(sessions.size, 'session')} of ${server} go round in the same loop within ${span(storm)} (${kind} of ${listed(tools)}, ${count(calls, 'call')} wasted).`;
}

const SHOWN = 3;

function listed(tools: ReadonlySet<string>): string {
  const names = [...tools].sort().map((name) => name || 'a tool');
  const more = names.length - SHOWN;
  const parts = more > 1 ? [...names.slice(0, SHOWN), `${more} other tools`] : names;
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Thin spaces between thousands. */
function count(n: number, noun: string): string {
  const digits = String(n).replace(/\B(?=(\d{3})+$)/g, '\u2009');
  return `${digits} ${noun}${n === 1 ? '' : 's'}`;
}

function span({ firstUs, lastUs }: OpenStorm): string {
  const seconds = Math.max(1, Math.round((lastUs - firstUs) / 1e6));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
