// One tool over many ids: each call is about another thing, whatever comes back.
import { ID_STYLES, type IdStyle } from './ids.ts';
import { passage, sentence } from './prose.ts';
import { type SimulatedServer, sampleIds, syntheticCall, VERBS } from './simulated-server.ts';
import { repeatMake, type StretchKind } from './stretch-kind.ts';
import type { Arguments, SyntheticCall, SyntheticResult, ToolRole } from './synthetic-call.ts';

interface BatchForm {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly role: ToolRole;
  readonly because: string;
  /** What is answered for each id; decided once for the whole batch. */
  readonly answers: (world: SimulatedServer) => (id: string | number) => SyntheticResult;
}

const BATCH_FORMS: readonly BatchForm[] = [
  {
    name: 'distinct',
    verbs: VERBS.read,
    role: 'read',
    because: 'each call reads another thing and gets another answer',
    answers: distinctResults,
  },
  {
    name: 'ok',
    verbs: VERBS.change,
    role: 'write',
    because: 'each call changes another thing, and is told so in a word',
    answers: (world) => {
      const text = world.dice.pick(['ok', 'OK', 'done', 'Success', 'true', '{"ok":true}', 'Updated.']);
      return () => world.ok(text);
    },
  },
  {
    name: 'verbose',
    verbs: VERBS.change,
    role: 'write',
    because: 'each call changes another thing; the server says the same long sentence about all of them',
    answers: (world) => {
      const text = `The operation completed successfully. ${passage(world.dice, world.dice.between(200, 900))}`;
      return () => world.ok(text);
    },
  },
  {
    name: 'new-id',
    verbs: VERBS.create,
    role: 'write',
    because: 'each call makes another thing, and is told its id',
    answers: newIdResults,
  },
];

function distinctResults(world: SimulatedServer): (id: string | number) => SyntheticResult {
  const rows = world.dice.between(1, 4);
  const tiny = world.dice.chance(0.2);
  return (id) => {
    if (tiny) return world.ok(`${id}: ${world.dice.between(1, 900)}`);
    return world.ok(
      rows === 1
        ? world.record(id)
        : repeatMake(rows, (row) => world.record(row === 0 ? id : `${id}.${row}`)),
    );
  };
}

function newIdResults(world: SimulatedServer): () => SyntheticResult {
  const { dice } = world;
  const form = dice.pick(['bare', 'record', 'said'] as const);
  const make = dice.pick([() => dice.uuid(), () => dice.hex(24), () => `rec_${dice.digits(9)}`]);
  return () => {
    if (form === 'bare') return world.ok(make());
    return world.ok(form === 'record' ? { id: make() } : `Created ${world.domain.nouns[0]} ${make()}.`);
  };
}

/** What every call of a batch says besides the id. */
function constantArguments(world: SimulatedServer): Arguments {
  const { dice } = world;
  const fixed = {
    ...(dice.chance(0.4) && { [world.argument('project')]: dice.pick(['main', 'north', 'harbor']) }),
    ...(dice.chance(0.3) && { [world.argument('include_details')]: true }),
    ...(dice.chance(0.3) && { [world.argument('page_size')]: dice.pick([10, 25, 50]) }),
  };
  return fixed;
}

/** Days and pages are gone through, not changed. */
const BY_PART: ReadonlySet<IdStyle> = new Set(['date', 'epoch', 'page']);

function makeBatch(world: SimulatedServer, style: IdStyle, form: BatchForm): SyntheticCall[] {
  const { dice } = world;
  const { name, ids } = sampleIds(world, dice.between(6, 24), style);
  const tool = world.tool(form.verbs === VERBS.change && BY_PART.has(style) ? VERBS.process : form.verbs);
  const fixed = constantArguments(world);
  const answer = form.answers(world);
  const [fewest, most] = dice.chance(0.25) ? [2, 5] : [1, 1];
  let left = 0;
  return ids.map((id) => {
    const beside = left > 0;
    left = beside ? left - 1 : dice.between(fewest, most) - 1;
    return {
      ...syntheticCall(tool, { [name]: id, ...fixed }, answer(id), form.role),
      ...(beside && { beside }),
    };
  });
}

/** Six looks of ids, each with four forms of answers. */
export const BATCHES: readonly StretchKind[] = ID_STYLES.flatMap((style) =>
  BATCH_FORMS.map((form) => ({
    name: `batch-${style}-${form.name}`,
    because: form.because,
    make: (world: SimulatedServer) => makeBatch(world, style, form),
  })),
);

/** Writes that say what they write, and are told the new id. */
export const WRITES: StretchKind = {
  name: 'writes-new-ids',
  because: 'each call writes something else and has the effect that its id tells',
  make: (world) => {
    const { dice } = world;
    const tool = world.tool(VERBS.create);
    const answer = newIdResults(world);
    return repeatMake(dice.between(6, 18), () => {
      const args = { title: sentence(dice, dice.between(2, 5)), body: passage(dice, dice.between(10, 400)) };
      return syntheticCall(tool, args, answer(), 'write');
    });
  },
};
