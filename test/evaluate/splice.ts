// Puts a stretch into a recorded session, with times and turns as that session has them.
import { createDice, type Dice } from './dice.ts';
import { drawTemplate, type Host } from './host.ts';
import type { Kind } from './kind.ts';
import type { Label, LabelledSession, LineCall, MadeCall } from './made-call.ts';
import type { OwnKind } from './own-stretches.ts';
import { stage } from './stage.ts';
import { createWorld } from './world.ts';

interface Stretch {
  readonly kind: string;
  readonly label: Label;
  readonly because: string;
  readonly calls: readonly MadeCall[];
}

/** A session with a stretch of its own tools, or undefined where the host has no call to make it of. */
export function spliceOwn(host: Host, kind: OwnKind, seed: number): LabelledSession | undefined {
  const dice = createDice(seed);
  const template = drawTemplate(host, dice);
  if (template === undefined) return undefined;
  const calls = kind.make(template, dice);
  return splice(host, { ...kind, kind: kind.name, calls }, { dice, seed });
}

/** A session with a stretch of another server. */
export function spliceMade(
  host: Host,
  { name, because, make }: Kind,
  { label, seed }: { readonly label: Label; readonly seed: number },
): LabelledSession {
  const dice = createDice(seed);
  const calls = make(createWorld(dice));
  return splice(host, { kind: `among-${name}`, label, because, calls }, { dice, seed });
}

function splice(
  host: Host,
  { kind, label, because, calls }: Stretch,
  { dice, seed }: { readonly dice: Dice; readonly seed: number },
): LabelledSession {
  const at = dice.pick(seamsOf(host.calls));
  const before = host.calls.slice(0, at);
  const middle = stageAfter(before, { host, calls, dice });
  const after = follow(host.calls.slice(at), { before, middle });
  return {
    sessionId: `${host.sessionId}+${kind}-${seed}`,
    label,
    kind,
    because,
    ...(label === 'loop' && { onsetIndex: at }),
    calls: [...before, ...middle, ...after],
  };
}

/** Places between two messages of the agent. */
function seamsOf(calls: readonly LineCall[]): number[] {
  const seams = calls.flatMap(({ turn }, at) =>
    at > 0 && (turn === undefined || turn !== calls[at - 1]?.turn) ? [at] : [],
  );
  return [...seams, calls.length];
}

interface Insertion {
  readonly host: Host;
  readonly calls: readonly MadeCall[];
  readonly dice: Dice;
}

function stageAfter(before: readonly LineCall[], { host, calls, dice }: Insertion): LineCall[] {
  const first = host.calls[0];
  const turn = 1 + (before.at(-1)?.turn ?? -1);
  const staged = stage(
    calls,
    {
      server: first?.server ?? '',
      times: (first?.startedAtMs ?? 0) > 0,
      turns: first?.turn !== undefined,
      annotations: host.calls.some(({ annotations }) => annotations !== undefined),
      messages: false,
      startMs: endOf(before.at(-1) ?? first),
    },
    dice,
  );
  return staged.map((call) => (call.turn === undefined ? call : { ...call, turn: call.turn + turn }));
}

const endOf = (call: LineCall | undefined): number => (call?.startedAtMs ?? 0) + (call?.durationMs ?? 0);

interface Around {
  readonly before: readonly LineCall[];
  readonly middle: readonly LineCall[];
}

/** What came after the seam comes later now. */
function follow(calls: readonly LineCall[], { before, middle }: Around): LineCall[] {
  const laterMs = Math.max(0, endOf(middle.at(-1)) - endOf(before.at(-1) ?? middle[0]));
  const turns = 1 + (middle.at(-1)?.turn ?? 0) - (middle[0]?.turn ?? 0);
  return calls.map((call) => ({
    ...call,
    ...(call.turn !== undefined && { turn: call.turn + turns }),
    ...(call.startedAtMs !== undefined && { startedAtMs: call.startedAtMs + laterMs }),
  }));
}
