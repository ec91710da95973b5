// The same request again and again; what differs means nothing.

import { drawPendingState, samplePolledJob } from './clean-polling.ts';
import { makeIds } from './ids.ts';
import { makeOrdinaryWork } from './ordinary-work.ts';
import { passage, sentence } from './prose.ts';
import { type SimulatedServer, sampleIds, syntheticCall, VERBS } from './simulated-server.ts';
import { repeatMake, type StretchKind } from './stretch-kind.ts';
import type { Arguments, SyntheticCall } from './synthetic-call.ts';

/** One request and its one answer: a reading, a search or a refusal. */
export function sampleRequest(world: SimulatedServer): SyntheticCall {
  const { dice } = world;
  const { name, ids } = sampleIds(world, 1);
  const id = ids[0]!;
  const form = dice.pick(['read', 'search', 'refused'] as const);
  if (form === 'search') {
    const rows = makeIds('code', dice.between(0, 4), dice).map((found) => world.record(found));
    const args = { [world.argument('query')]: sentence(dice, 3), [name]: id };
    return syntheticCall(world.tool(VERBS.search), args, world.ok(rows));
  }
  const tool = world.tool(VERBS.read);
  if (form === 'read') return syntheticCall(tool, { [name]: id }, world.ok(world.record(id)));
  return syntheticCall(tool, { [name]: id }, world.fail(`${name} ${id} was not found`, 'NOT_FOUND'));
}

const IDENTICAL: StretchKind = {
  name: 'identical',
  because: 'one request, the same answer, again and again',
  make: (world) => {
    const request = sampleRequest(world);
    return repeatMake(world.dice.between(4, 12), () => request);
  },
};

/** Arguments that are made up anew for each call and ask for nothing. */
function sampleNonce(world: SimulatedServer): (at: number) => Arguments {
  const { dice } = world;
  const start = Date.UTC(2026, 2, dice.between(1, 28));
  return dice.pick<(at: number) => Arguments>([
    () => ({ [world.argument('request_id')]: dice.uuid() }),
    () => ({ nonce: dice.hex(16) }),
    (at) => ({ timestamp: new Date(start + at * 7919).toISOString() }),
    (at) => ({ ts: Math.floor(start / 1000) + at * 7 }),
    () => ({ __intent: sentence(dice, dice.between(5, 12)) }),
    () => ({ explanation: sentence(dice, dice.between(6, 14)) }),
    (at) => ({ attempt: at + 1 }),
    () => ({ [world.argument('idempotency_key')]: `k-${dice.digits(8)}` }),
  ]);
}

const NONCE: StretchKind = {
  name: 'identical-nonce',
  because: 'one request; only an id of the request, its time or the reason given is new',
  make: (world) => {
    const request = sampleRequest(world);
    const nonce = sampleNonce(world);
    return repeatMake(world.dice.between(5, 12), (at) => ({
      ...request,
      arguments: { ...request.arguments, ...nonce(at) },
    }));
  },
};

/** What a server puts around an answer, new each time. */
function sampleNoise(world: SimulatedServer): (body: string, at: number) => string {
  const { dice } = world;
  const start = Date.UTC(2026, 4, dice.between(1, 28));
  const clock = (at: number) => new Date(start + at * 6311).toISOString();
  return dice.pick<(body: string, at: number) => string>([
    (body, at) => `[${clock(at)}] ${body}`,
    (body) => `${body}\nrequest_id: ${dice.uuid()}`,
    (body) => `${body}\n(took ${dice.between(12, 900)} ms)`,
    (body) => {
      const mark = `boundary-${dice.uuid()}`;
      return `<${mark}>\n${body}\n</${mark}>`;
    },
    (body, at) => JSON.stringify({ body, served_at: clock(at), trace: dice.hex(16) }),
  ]);
}

const NOISE: StretchKind = {
  name: 'noisy-answer',
  because: 'one request and the same answer but for a time, a request id or a boundary',
  make: (world) => {
    const { dice } = world;
    const request = sampleRequest(world);
    const noise = sampleNoise(world);
    const body = passage(dice, dice.pick([10, 80, 300, 1500]));
    return repeatMake(dice.between(5, 12), (at) =>
      syntheticCall(request.tool, request.arguments, world.ok(noise(body, at))),
    );
  },
};

const DENSE: StretchKind = {
  name: 'dense',
  because: 'five of seven calls are one request with one answer, and so on',
  make: (world) => {
    const { dice } = world;
    const request = sampleRequest(world);
    const rounds = dice.between(1, 2);
    return repeatMake(rounds, () => {
      const others = makeOrdinaryWork(world, 2);
      const gaps = dice.some([1, 2, 3, 4], 2).sort();
      return repeatMake(5, (at) => {
        const gap = gaps.indexOf(at);
        return gap < 0 ? [request] : [others[gap]!, request];
      }).flat();
    }).flat();
  },
};

const STUCK_POLL: StretchKind = {
  name: 'stuck-poll',
  because: 'twenty polls and more, and nothing moves',
  make: (world) => {
    const { dice } = world;
    const poll = samplePolledJob(world).say(drawPendingState(world));
    const pause = dice.pick([undefined, 5, 10, 30]);
    const evenly = pause !== undefined;
    return repeatMake(dice.between(20, 32), () => ({
      ...poll,
      ...(evenly && { after: pause + dice.amount(0, 0.3) }),
    }));
  },
};

const FAILING_CHECK: StretchKind = {
  name: 'failing-check',
  because: 'eight times in forty-eight calls one check fails in the same words, whatever is done between',
  make: (world) => {
    const { dice } = world;
    const tool = world.tool(VERBS.check, 'suite');
    const text = `1 failed, ${dice.between(10, 90)} passed\n  ${passage(dice, dice.pick([40, 200, 1200]))}`;
    const answer = dice.chance(0.5) ? world.ok(text) : world.fail(text, 'exit_1');
    const work = makeOrdinaryWork(world, 40);
    return repeatMake(8, (at) => [
      syntheticCall(tool, { all: true }, answer),
      ...work.slice(at * 5, at * 5 + 5),
    ]).flat();
  },
};

const UNCHANGED_TEST: StretchKind = {
  name: 'unchanged-test',
  because: 'edit after edit, and the test says the same as before',
  make: (world) => {
    const { dice } = world;
    const tool = world.tool(VERBS.check, 'suite');
    const path = `src/${dice.pick(['parser', 'engine', 'router'])}.ts`;
    const text = `FAIL ${path}\n${passage(dice, dice.pick([40, 300, 2000]))}`;
    const check = syntheticCall(
      tool,
      { path },
      dice.chance(0.5) ? world.ok(text) : world.fail(text, 'exit_1'),
    );
    const edit = () => {
      const args = { path, insert: sentence(dice, 7), at: dice.between(1, 300) };
      return syntheticCall(world.tool('edit', 'file'), args, world.ok('Edit applied.'), 'write');
    };
    return repeatMake(dice.between(6, 10), () => [edit(), check]).flat();
  },
};

export const LOOP_REPEATS: readonly StretchKind[] = [
  IDENTICAL,
  NONCE,
  NOISE,
  DENSE,
  STUCK_POLL,
  FAILING_CHECK,
  UNCHANGED_TEST,
];
