// Waiting for something that comes: a job, a pod, an approval. The agent asks again because time passes.
import { makeIds } from './ids.ts';
import { type Kind, times } from './kind.ts';
import type { Arguments, MadeCall } from './made-call.ts';
import { call, VERBS, type World } from './world.ts';

const WAITING = [
  'Pending',
  'ContainerCreating',
  'in_progress',
  'queued',
  'running',
  'PROVISIONING',
  'building',
];
const ENDS = ['Succeeded', 'Running', 'completed', 'done', 'ready'];

interface Job {
  readonly tool: string;
  readonly args: Arguments;
  /** What it says of itself; in a text or a record, as the server has it. */
  readonly say: (state: string) => MadeCall;
}

/** Something that takes its time, and the call that asks for it. */
export function drawJob(world: World): Job {
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
      if (form === 'bare') return call(tool, args, world.ok(state));
      return call(
        tool,
        args,
        world.ok(form === 'record' ? { id, status: state } : { ...rest, status: state }),
      );
    },
  };
}

/** A state in which something is not yet done. */
export function drawWaiting(world: World): string {
  return world.dice.pick(WAITING);
}

const end = (job: Job, world: World): MadeCall => job.say(world.dice.pick(ENDS));

const PROGRESS: Kind = {
  name: 'poll-progress',
  because: 'the count moves with every poll',
  make: (world) => {
    const { dice } = world;
    const job = drawJob(world);
    const total = dice.between(200, 5000);
    const polls = dice.between(6, 20);
    const text = dice.pick(['processed', 'rows done', '%']);
    const counts = times(polls, (at) => Math.floor((total * (at + 1)) / (polls + 1)));
    return [...counts.map((count) => job.say(`${count}/${total} ${text}`)), end(job, world)];
  },
};

const UNCHANGED: Kind = {
  name: 'poll-unchanged',
  because: 'a job that is said to be on its way is asked about a few times, until it is done',
  make: (world) => {
    const { dice } = world;
    const job = drawJob(world);
    const state = drawWaiting(world);
    const polls = times(dice.between(3, 8), () => ({ ...job.say(state), after: dice.amount(2, 45) }));
    return [...polls, end(job, world)];
  },
};

const WITH_WAIT: Kind = {
  name: 'poll-wait',
  because: 'the agent waits by a tool between polls, and the job gets done',
  make: (world) => {
    const { dice } = world;
    const job = drawJob(world);
    const state = drawWaiting(world);
    const seconds = dice.pick([5, 10, 15, 30]);
    const wait: MadeCall = {
      ...call(
        world.tool(dice.pick(['wait', 'sleep']), ''),
        { seconds },
        world.ok(`Waited ${seconds}s`),
        'wait',
      ),
      took: seconds + dice.amount(0, 0.2),
      after: dice.amount(0.8, 3),
    };
    return [...times(dice.between(3, 7), () => [job.say(state), wait]).flat(), end(job, world)];
  },
};

const BACK_OFF: Kind = {
  name: 'poll-back-off',
  needsTimes: true,
  because: 'each pause is longer than the one before, and the job gets done',
  make: (world) => {
    const { dice } = world;
    const job = drawJob(world);
    const state = drawWaiting(world);
    const first = dice.amount(1, 5);
    const factor = dice.pick([1.5, 2]);
    const count = dice.between(5, 8);
    const pause = (at: number) => first * factor ** at;
    const polls = times(count, (at) => ({ ...job.say(state), after: pause(at) }));
    return [...polls, { ...end(job, world), after: pause(count) }];
  },
};

const MONITORING: Kind = {
  name: 'monitoring-rounds',
  needsTimes: true,
  because:
    'a watch looks at the same few things at even, long intervals; that nothing changed is what it is for',
  make: (world) => {
    const { dice } = world;
    const pause = dice.pick([60, 120, 300, 600]);
    const checks = makeIds('slug', dice.between(2, 4), dice).map((id) =>
      call(world.tool(VERBS.check, 'health'), { [world.argument('target')]: id }, world.ok(world.record(id))),
    );
    return times(dice.between(4, 8), () =>
      checks.map((check, at) => ({ ...check, after: at === 0 ? pause + dice.amount(0, 2) : 1 })),
    ).flat();
  },
};

const HEARTBEAT: Kind = {
  name: 'heartbeat',
  because: 'amid work the agent says that it is alive; the work goes on',
  make: (world) => {
    const { dice } = world;
    const verb = dice.pick(['heartbeat', 'keep_alive', 'ping', 'renew_lease']);
    const beat = call(
      world.tool(verb, ''),
      { [world.argument('session')]: dice.hex(8) },
      world.ok('ok'),
      'write',
    );
    const ids = makeIds('code', dice.between(14, 24), dice);
    const tool = world.tool(VERBS.read, world.domain.nouns[1]);
    const every = dice.between(2, 4);
    return ids.flatMap((id, at) => {
      const work = call(tool, { id }, world.ok(world.record(id)));
      return at % every === every - 1 ? [work, beat] : [work];
    });
  },
};

export const CLEAN_WAITING: readonly Kind[] = [
  PROGRESS,
  UNCHANGED,
  WITH_WAIT,
  BACK_OFF,
  MONITORING,
  HEARTBEAT,
];
