// Gives calls what a session has around them: times, turns, annotations, a server, people's messages; each or none.
import type { SeededRandom } from './seeded-random.ts';
import type { LineCall, SyntheticCall, ToolRole } from './synthetic-call.ts';

export interface SessionAttributes {
  readonly server: string;
  readonly times: boolean;
  readonly turns: boolean;
  readonly annotations: boolean;
  readonly messages: boolean;
  readonly startMs: number;
}

/** What one session says about its calls. */
export function sampleSessionAttributes(
  dice: SeededRandom,
  server: string,
  needsTimes = false,
): SessionAttributes {
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

const CONCURRENT_GAP_S = 0.01;

/** The calls as lines of `toolscope detect`. */
export function toSessionLines(
  calls: readonly SyntheticCall[],
  staging: SessionAttributes,
  dice: SeededRandom,
): LineCall[] {
  let clockMs = staging.startMs;
  let turn = -1;
  return calls.map((made, at) => {
    const beside = made.beside === true && at > 0;
    if (!beside) turn++;
    const durationMs = Math.round(1000 * (made.took ?? dice.amount(0.02, 1.8)));
    clockMs += Math.round(1000 * (beside ? CONCURRENT_GAP_S : (made.after ?? dice.amount(1.2, 14))));
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
  { role, after: _after, took: _took, beside: _beside, asked: _asked, ...said }: SyntheticCall,
  { server, annotations }: SessionAttributes,
): LineCall {
  return {
    ...said,
    ...(server !== '' && { server }),
    ...(annotations && role !== 'wait' && { annotations: ANNOTATIONS[role] }),
  };
}

const ANNOTATIONS: Readonly<Record<Exclude<ToolRole, 'wait'>, NonNullable<LineCall['annotations']>>> = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false },
};
