// Words for a learned recovery: as a statement about agents, as the `recovery` text of the error, and as a hint for
// an agent that has just met the error.

import { formatList } from './format-counts.ts';
import type { LearnedRecovery } from './learned-recovery.ts';

/** `81 % (30 of 37) succeeded after CONFLICT by calling get_note and repeating edit_note with a new version.` */
export function describeRecovery(recovery: LearnedRecovery): string {
  const { attempts, otherwise } = recovery;
  const others =
    otherwise.n === 0 ? '' : `; ${formatShare(otherwise)} of those that did anything else succeeded`;
  return `After ${formatError(recovery)}, ${formatShare(attempts)} succeeded by ${formatWay(recovery)}${others}.`;
}

/** The text for the field `recovery` of the error: `Call get_note, then repeat edit_note with a new version.` */
export function toRecoveryText({ tool, steps }: LearnedRecovery): string {
  const { tools, insteadTool, isAfterPause } = steps;
  if (insteadTool !== '') return `Call ${insteadTool} instead.`;
  const repeat = `repeat ${tool}${formatChanges(steps)}`;
  if (tools.length > 0) return `Call ${formatList(tools)}, then ${repeat}.`;
  return isAfterPause ? `Wait, then ${repeat} unchanged.` : `R${repeat.slice(1)}${formatUnchanged(steps)}.`;
}

/** One line for an agent that has just met the error. */
export function toRecoveryHint(recovery: LearnedRecovery): string {
  return `After ${formatError(recovery)}, ${formatShare(recovery.attempts)} earlier attempts succeeded by ${formatWay(recovery)}.`;
}

function formatWay({ tool, steps }: LearnedRecovery): string {
  const { tools, insteadTool, isAfterPause } = steps;
  if (insteadTool !== '') return `calling ${insteadTool} instead`;
  const repeating = `repeating ${tool}${formatChanges(steps)}`;
  if (tools.length > 0) return `calling ${formatList(tools)} and ${repeating}`;
  return isAfterPause ? `waiting and ${repeating} unchanged` : `${repeating}${formatUnchanged(steps)}`;
}

function formatChanges({ changedArguments }: LearnedRecovery['steps']): string {
  return changedArguments.length === 0 ? '' : ` with a new ${formatList(changedArguments)}`;
}

const formatUnchanged = ({ changedArguments }: LearnedRecovery['steps']): string =>
  changedArguments.length === 0 ? ' unchanged' : '';

/** An error without a code of its own has only its message. */
function formatError({ code, outcome, template, argument }: LearnedRecovery): string {
  const name = template === '' ? code || outcome : `"${template}"`;
  return argument === '' ? name : `${name} of ${argument}`;
}

function formatShare({ n, succeeded }: LearnedRecovery['attempts']): string {
  return `${Math.round((100 * succeeded) / n)} % (${succeeded} of ${n})`;
}
