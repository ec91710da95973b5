// Gives calls what a session has around them: times, turns, annotations, a server, people's messages; each or none.
import type { Dice } from './dice.ts';
import type { LineCall, MadeCall, Role } from './made-call.ts';

export interface Staging {
  readonly server: string;
  readonly times: boolean;
  readonly turns: boolean;
  readonly annotations: boolean;
  readonly messages: boolean;
  readonly startMs: number;
}

/** What one session says about its calls. */
export function drawStaging(dice: Dice, server: string, needsTimes = false): Staging {
  return {
    server: dice.chance(0.5) ? server : '',
    times: dice.chance(0.6) || needsTimes,
    turns: dice.chance(0.5),
    annotations: dice.chance(0.4),
    messages: dice.chance(0.3),
    startMs: Date.UTC(
      2026,
      dice.between(0, 8),
      dice.between(1, 28),
      dice.between(6, 20),
      dice.between(0, 59),
    ),
  };
}

const BESIDE_S = 0.01;

/** The calls as lines of `toolscope detect`. */
export function stage(calls: readonly MadeCall[], staging: Staging, dice: Dice): LineCall[] {
  let clockMs = staging.startMs;
  let turn = -1;
  return calls.map((made, at) => {
    const beside = made.beside === true && at > 0;
    if (!beside) turn++;
    const durationMs = Math.round(1000 * (made.took ?? dice.amount(0.02, 1.8)));
    clockMs += Math.round(1000 * (beside ? BESIDE_S : (made.after ?? dice.amount(1.2, 14))));
    const startedAtMs = clockMs;
    if (calls[at + 1]?.beside !== true) clockMs += durationMs;
    const message = staging.messages && made.asked === true && (at === 0 || dice.chance(0.1));
    return {
      ...toLine(made, staging),
      ...(staging.times && { startedAtMs, durationMs }),
      ...(staging.turns && { turn }),
      ...(message && { userMessageBefore: true }),
    };
  });
}

function toLine(
  { role, after: _after, took: _took, beside: _beside, asked: _asked, ...said }: MadeCall,
  { server, annotations }: Staging,
): LineCall {
  return {
    ...said,
    ...(server !== '' && { server }),
    ...(annotations && role !== 'wait' && { annotations: HINTS[role] }),
  };
}

const HINTS: Readonly<Record<Exclude<Role, 'wait'>, NonNullable<LineCall['annotations']>>> = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false },
};
