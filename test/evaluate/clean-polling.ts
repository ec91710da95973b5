// Waiting for something that comes: a job, a pod, an approval. The agent asks again because time passes.
import { makeIds } from './ids.ts';
import { type SimulatedServer, syntheticCall, VERBS } from './simulated-server.ts';
import { repeatMake, type StretchKind } from './stretch-kind.ts';
import type { Arguments, SyntheticCall } from './synthetic-call.ts';

const PENDING_STATES = [
  'Pending',
  'ContainerCreating',
  'in_progress',
  'queued',
  'running',
  'PROVISIONING',
  'building',
];
const FINAL_STATES = ['Succeeded', 'Running', 'completed', 'done', 'ready'];

interface PolledJob {
  readonly tool: string;
  readonly args: Arguments;
  /** What it says of itself; in a text or a record, as the server has it. */
  readonly say: (state: string) => SyntheticCall;
}

/** Something that takes its time, and the call that asks for it. */
export function samplePolledJob(world: SimulatedServer): PolledJob {
  const { dice } = world;
  const id = makeIds(dice.pick(['uuid', 'code', 'slug'] as const), 1, dice)[0]!;
  const tool = world.tool(
    dice.pick(['get', 'check', 'describe']),
    dice.pick(['job', 'job_status', 'task', 'pod']),
  );
  const args = { [world.argument(dice.pick(['job_id', 'id', 'name']))]: id };
  const form = dice.pick(['bare', 'record', 'long'] as const);
  const rest = world.record(id);
  return {
    tool,
    args,
    say: (state) => {
      if (form === 'bare') return syntheticCall(tool, args, world.ok(state));
      return syntheticCall(
        tool,
        args,
        world.ok(form === 'record' ? { id, status: state } : { ...rest, status: state }),
      );
    },
  };
}

/** A state in which something is not yet done. */
export function drawPendingState(world: SimulatedServer): string {
  return world.dice.pick(PENDING_STATES);
}

const reportEnd = (job: PolledJob, world: SimulatedServer): SyntheticCall =>
  job.say(world.dice.pick(FINAL_STATES));

const PROGRESS: StretchKind = {
  name: 'poll-progress',
  because: 'the count moves with every poll',
  make: (world) => {
    const { dice } = world;
    const job = samplePolledJob(world);
    const total = dice.between(200, 5000);
    const polls = dice.between(6, 20);
    const text = dice.pick(['processed', 'rows done', '%']);
    const counts = repeatMake(polls, (at) => Math.floor((total * (at + 1)) / (polls + 1)));
    return [...counts.map((count) => job.say(`${count}/${total} ${text}`)), reportEnd(job, world)];
  },
};

const UNCHANGED: StretchKind = {
  name: 'poll-unchanged',
  because: 'a job that is said to be on its way is asked about a few times, until it is done',
  make: (world) => {
    const { dice } = world;
    const job = samplePolledJob(world);
    const state = drawPendingState(world);
    const polls = repeatMake(dice.between(3, 8), () => ({ ...job.say(state), after: dice.amount(2, 45) }));
    return [...polls, reportEnd(job, world)];
  },
};

const WITH_WAIT: StretchKind = {
  name: 'poll-wait',
  because: 'the agent waits by a tool between polls, and the job gets done',
  make: (world) => {
    const { dice } = world;
    const job = samplePolledJob(world);
    const state = drawPendingState(world);
    const seconds = dice.pick([5, 10, 15, 30]);
    const wait: SyntheticCall = {
      ...syntheticCall(
        world.tool(dice.pick(['wait', 'sleep']), ''),
        { seconds },
        world.ok(`Waited ${seconds}s`),
        'wait',
      ),
      took: seconds + dice.amount(0, 0.2),
      after: dice.amount(0.8, 3),
    };
    return [...repeatMake(dice.between(3, 7), () => [job.say(state), wait]).flat(), reportEnd(job, world)];
  },
};

const BACK_OFF: StretchKind = {
  name: 'poll-back-off',
  needsTimes: true,
  because: 'each pause is longer than the one before, and the job gets done',
  make: (world) => {
    const { dice } = world;
    const job = samplePolledJob(world);
    const state = drawPendingState(world);
    const first = dice.amount(1, 5);
    const factor = dice.pick([1.5, 2]);
    const count = dice.between(5, 8);
    const pause = (at: number) => first * factor ** at;
    const polls = repeatMake(count, (at) => ({ ...job.say(state), after: pause(at) }));
    return [...polls, { ...reportEnd(job, world), after: pause(count) }];
  },
};

const MONITORING: StretchKind = {
  name: 'monitoring-rounds',
  needsTimes: true,
  because:
    'a watch looks at the same few things at even, long intervals; that nothing changed is what it is for',
  make: (world) => {
    const { dice } = world;
    const pause = dice.pick([60, 120, 300, 600]);
    const checks = makeIds('slug', dice.between(2, 4), dice).map((id) =>
      syntheticCall(
        world.tool(VERBS.check, 'health'),
        { [world.argument('target')]: id },
        world.ok(world.record(id)),
      ),
    );
    return repeatMake(dice.between(4, 8), () =>
      checks.map((check, at) => ({ ...check, after: at === 0 ? pause + dice.amount(0, 2) : 1 })),
    ).flat();
  },
};

const HEARTBEAT: StretchKind = {
  name: 'heartbeat',
  because: 'amid work the agent says that it is alive; the work goes on',
  make: (world) => {
    const { dice } = world;
    const verb = dice.pick(['heartbeat', 'keep_alive', 'ping', 'renew_lease']);
    const beat = syntheticCall(
      world.tool(verb, ''),
      { [world.argument('session')]: dice.hex(8) },
      world.ok('ok'),
      'write',
    );
    const ids = makeIds('code', dice.between(14, 24), dice);
    const tool = world.tool(VERBS.read, world.domain.nouns[1]);
    const every = dice.between(2, 4);
    return ids.flatMap((id, at) => {
      const work = syntheticCall(tool, { id }, world.ok(world.record(id)));
      return at % every === every - 1 ? [work, beat] : [work];
    });
  },
};

export const CLEAN_POLLING: readonly StretchKind[] = [
  PROGRESS,
  UNCHANGED,
  WITH_WAIT,
  BACK_OFF,
  MONITORING,
  HEARTBEAT,
];
