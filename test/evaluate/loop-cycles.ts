// The same round of several requests, again and again; or one place seen again by ever other words.
import { drawEmptyResult, makeQueries } from './clean-searches.ts';
import { makeIds } from './ids.ts';
import { passage, sentence } from './prose.ts';
import { type SimulatedServer, sampleIds, syntheticCall, VERBS } from './simulated-server.ts';
import { repeatMake, type StretchKind } from './stretch-kind.ts';
import type { Arguments, SyntheticCall } from './synthetic-call.ts';

/** Different requests, each with an answer of its own. */
function sampleRound(world: SimulatedServer, count: number): SyntheticCall[] {
  const { name, ids } = sampleIds(world, count);
  const nouns = world.domain.nouns;
  return ids.map((id, at) =>
    syntheticCall(
      world.tool(VERBS.read, nouns[at % nouns.length]),
      { [name]: id },
      world.ok(world.record(id)),
    ),
  );
}

const CYCLE: StretchKind = {
  name: 'cycle',
  because: 'the same few requests in the same order, round after round',
  make: (world) => {
    const round = sampleRound(world, world.dice.between(2, 8));
    return repeatMake(world.dice.between(4, 6), () => round).flat();
  },
};

const FORM: StretchKind = {
  name: 'form-cycle',
  because: 'a form of many steps is filled in three times with the same values, and is where it was',
  make: (world) => {
    const { dice } = world;
    const verb = dice.pick(['fill', 'click', 'type']);
    const page = `Page snapshot\n${passage(dice, dice.pick([60, 400, 2500]))}`;
    const steps = makeIds('slug', dice.between(9, 14), dice).map((field, at) => {
      const args = { ref: `e${at + 10}`, element: field, value: sentence(dice, 2) };
      const said = dice.chance(0.5) ? 'ok' : `Filled ${field}.`;
      return syntheticCall(world.tool(verb, 'field'), args, world.ok(said), 'write');
    });
    const submit = syntheticCall(world.tool('submit', 'form'), {}, world.ok(page), 'write');
    return repeatMake(3, () => [...steps.slice(1), submit]).flat();
  },
};

const EMPTY_TWICE: StretchKind = {
  name: 'empty-rounds-twice',
  because: 'the second round asks the same searches over again, and nothing is there as before',
  make: (world) => {
    const { dice } = world;
    const tool = world.tool(VERBS.search, `${world.domain.nouns[0]}s`);
    const nothing = drawEmptyResult(world);
    const round = makeQueries(world, dice.between(20, 40)).map((query) =>
      syntheticCall(tool, { [world.argument('query')]: query }, nothing),
    );
    return [...round, ...round];
  },
};

const EIGHT_AGAIN: StretchKind = {
  name: 'eight-again',
  because: 'eight things are fetched again and again, in any order',
  make: (world) => {
    const { dice } = world;
    const eight = sampleRound(world, 8);
    return repeatMake(dice.between(4, 6), () => dice.some(eight, 8)).flat();
  },
};

/** One answer, whatever a growing or shrinking argument says. */
function makeSameResults(
  world: SimulatedServer,
  { args, page }: { readonly args: Arguments[]; readonly page: string },
) {
  const answer = world.ok(page);
  const tool = world.tool(VERBS.search, `${world.domain.nouns[0]}s`);
  return args.map((said) => syntheticCall(tool, said, answer));
}

const CHANGING_LIMIT: StretchKind = {
  name: 'changing-limit',
  because: 'the limit grows or shrinks and the answer stays what it was',
  make: (world) => {
    const { dice } = world;
    const name = world.argument(dice.pick(['limit', 'days', 'max_results', 'top_k', 'hours', 'radius_km']));
    const query = sentence(dice, 3);
    const count = dice.between(5, 10);
    const step = dice.pick([1, 5, 10, 30]);
    const numbers = repeatMake(count, (at) => step * (at + 1));
    const ordered = dice.chance(0.5) ? numbers : numbers.reverse();
    const page = dice.pick(['[]', 'No results found.', JSON.stringify([world.record(1), world.record(2)])]);
    return makeSameResults(world, { args: ordered.map((limit) => ({ query, [name]: limit })), page });
  },
};

const SAME_ANSWER: StretchKind = {
  name: 'same-long-answer',
  because: 'whatever is asked for, one and the same page comes back',
  make: (world) => {
    const { dice } = world;
    const page = passage(dice, dice.pick([400, 900, 2500, 5500]));
    const queries = makeQueries(world, dice.between(7, 14));
    return makeSameResults(world, {
      args: queries.map((query) => ({ [world.argument('query')]: query })),
      page,
    });
  },
};

const GROWING_DELAYS: StretchKind = {
  name: 'growing-delays',
  because: 'the agent waits longer and longer for a page that stays as it is',
  make: (world) => {
    const { dice } = world;
    const page = `Page snapshot\n${passage(dice, dice.pick([300, 1200, 4000]))}`;
    const name = dice.pick(['time', 'seconds', 'timeout', 'delay_ms']);
    const tool = dice.pick(['browser_wait_for', 'wait_for', 'wait_and_snapshot', 'page_wait']);
    const scale = name === 'delay_ms' ? 1000 : 1;
    const first = dice.between(1, 3);
    const delays = repeatMake(dice.between(6, 10), (at) => first * (at + 1));
    return delays.map((delay) => ({
      ...syntheticCall(tool, { [name]: delay * scale }, world.ok(page)),
      took: delay,
    }));
  },
};

export const LOOP_CYCLES: readonly StretchKind[] = [
  CYCLE,
  FORM,
  EMPTY_TWICE,
  EIGHT_AGAIN,
  CHANGING_LIMIT,
  SAME_ANSWER,
  GROWING_DELAYS,
];
