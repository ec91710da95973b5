// Puts a stretch into a recorded session, with times and turns as that session has them.

import type { OwnToolKind } from './own-tool-stretches.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { toSessionLines } from './session-lines.ts';
import { createSimulatedServer } from './simulated-server.ts';
import type { StretchKind } from './stretch-kind.ts';
import type { LabelledSession, LineCall, SessionLabel, SyntheticCall } from './synthetic-call.ts';
import { sampleTemplate, type TargetSession } from './target-session.ts';

interface Stretch {
  readonly kind: string;
  readonly label: SessionLabel;
  readonly because: string;
  readonly calls: readonly SyntheticCall[];
}

/** A session with a stretch of its own tools, or undefined where the host has no call to make it of. */
export function spliceOwnTools(
  host: TargetSession,
  kind: OwnToolKind,
  seed: number,
): LabelledSession | undefined {
  const dice = createSeededRandom(seed);
  const template = sampleTemplate(host, dice);
  if (template === undefined) return undefined;
  const calls = kind.make(template, dice);
  return splice(host, { ...kind, kind: kind.name, calls }, { dice, seed });
}

/** A session with a stretch of another server. */
export function spliceSynthetic(
  host: TargetSession,
  { name, because, make }: StretchKind,
  { label, seed }: { readonly label: SessionLabel; readonly seed: number },
): LabelledSession {
  const dice = createSeededRandom(seed);
  const calls = make(createSimulatedServer(dice));
  return splice(host, { kind: `among-${name}`, label, because, calls }, { dice, seed });
}

function splice(
  host: TargetSession,
  { kind, label, because, calls }: Stretch,
  { dice, seed }: { readonly dice: SeededRandom; readonly seed: number },
): LabelledSession {
  const at = dice.pick(findInsertionPoints(host.calls));
  const before = host.calls.slice(0, at);
  const middle = toLinesAfter(before, { host, calls, dice });
  const after = shiftLater(host.calls.slice(at), { before, middle });
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
function findInsertionPoints(calls: readonly LineCall[]): number[] {
  const seams = calls.flatMap(({ turn }, at) =>
    at > 0 && (turn === undefined || turn !== calls[at - 1]?.turn) ? [at] : [],
  );
  return [...seams, calls.length];
}

interface Insertion {
  readonly host: TargetSession;
  readonly calls: readonly SyntheticCall[];
  readonly dice: SeededRandom;
}

function toLinesAfter(before: readonly LineCall[], { host, calls, dice }: Insertion): LineCall[] {
  const first = host.calls[0];
  const turn = 1 + (before.at(-1)?.turn ?? -1);
  const staged = toSessionLines(
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

interface InsertionContext {
  readonly before: readonly LineCall[];
  readonly middle: readonly LineCall[];
}

/** What came after the seam comes later now. */
function shiftLater(calls: readonly LineCall[], { before, middle }: InsertionContext): LineCall[] {
  const laterMs = Math.max(0, endOf(middle.at(-1)) - endOf(before.at(-1) ?? middle[0]));
  const turns = 1 + (middle.at(-1)?.turn ?? 0) - (middle[0]?.turn ?? 0);
  return calls.map((call) => ({
    ...call,
    ...(call.turn !== undefined && { turn: call.turn + turns }),
    ...(call.startedAtMs !== undefined && { startedAtMs: call.startedAtMs + laterMs }),
  }));
}
