// The same round of several requests, again and again; or one place seen again by ever other words.
import { drawNothing, makeQueries } from './clean-looking.ts';
import { makeIds } from './ids.ts';
import { type Kind, times } from './kind.ts';
import type { Arguments, MadeCall } from './made-call.ts';
import { passage, sentence } from './prose.ts';
import { call, idsOf, VERBS, type World } from './world.ts';

/** Different requests, each with an answer of its own. */
function drawRound(world: World, count: number): MadeCall[] {
  const { name, ids } = idsOf(world, count);
  const nouns = world.domain.nouns;
  return ids.map((id, at) =>
    call(world.tool(VERBS.read, nouns[at % nouns.length]), { [name]: id }, world.ok(world.record(id))),
  );
}

const CYCLE: Kind = {
  name: 'cycle',
  because: 'the same few requests in the same order, round after round',
  make: (world) => {
    const round = drawRound(world, world.dice.between(2, 8));
    return times(world.dice.between(4, 6), () => round).flat();
  },
};

const FORM: Kind = {
  name: 'form-cycle',
  because: 'a form of many steps is filled in three times with the same values, and is where it was',
  make: (world) => {
    const { dice } = world;
    const verb = dice.pick(['fill', 'click', 'type']);
    const page = `Page snapshot\n${passage(dice, dice.pick([60, 400, 2500]))}`;
    const steps = makeIds('slug', dice.between(9, 14), dice).map((field, at) => {
      const args = { ref: `e${at + 10}`, element: field, value: sentence(dice, 2) };
      const said = dice.chance(0.5) ? 'ok' : `Filled ${field}.`;
      return call(world.tool(verb, 'field'), args, world.ok(said), 'write');
    });
    const submit = call(world.tool('submit', 'form'), {}, world.ok(page), 'write');
    return times(3, () => [...steps.slice(1), submit]).flat();
  },
};

const EMPTY_TWICE: Kind = {
  name: 'empty-rounds-twice',
  because: 'the second round asks the same searches over again, and nothing is there as before',
  make: (world) => {
    const { dice } = world;
    const tool = world.tool(VERBS.search, `${world.domain.nouns[0]}s`);
    const nothing = drawNothing(world);
    const round = makeQueries(world, dice.between(20, 40)).map((query) =>
      call(tool, { [world.argument('query')]: query }, nothing),
    );
    return [...round, ...round];
  },
};

const EIGHT_AGAIN: Kind = {
  name: 'eight-again',
  because: 'eight things are fetched again and again, in any order',
  make: (world) => {
    const { dice } = world;
    const eight = drawRound(world, 8);
    return times(dice.between(4, 6), () => dice.some(eight, 8)).flat();
  },
};

/** One answer, whatever a growing or shrinking argument says. */
function makeSame(world: World, { args, page }: { readonly args: Arguments[]; readonly page: string }) {
  const answer = world.ok(page);
  const tool = world.tool(VERBS.search, `${world.domain.nouns[0]}s`);
  return args.map((said) => call(tool, said, answer));
}

const CHANGING_LIMIT: Kind = {
  name: 'changing-limit',
  because: 'the limit grows or shrinks and the answer stays what it was',
  make: (world) => {
    const { dice } = world;
    const name = world.argument(dice.pick(['limit', 'days', 'max_results', 'top_k', 'hours', 'radius_km']));
    const query = sentence(dice, 3);
    const count = dice.between(5, 10);
    const step = dice.pick([1, 5, 10, 30]);
    const numbers = times(count, (at) => step * (at + 1));
    const ordered = dice.chance(0.5) ? numbers : numbers.reverse();
    const page = dice.pick(['[]', 'No results found.', JSON.stringify([world.record(1), world.record(2)])]);
    return makeSame(world, { args: ordered.map((limit) => ({ query, [name]: limit })), page });
  },
};

const SAME_ANSWER: Kind = {
  name: 'same-long-answer',
  because: 'whatever is asked for, one and the same page comes back',
  make: (world) => {
    const { dice } = world;
    const page = passage(dice, dice.pick([400, 900, 2500, 5500]));
    const queries = makeQueries(world, dice.between(7, 14));
    return makeSame(world, { args: queries.map((query) => ({ [world.argument('query')]: query })), page });
  },
};

const GROWING_DELAYS: Kind = {
  name: 'growing-delays',
  because: 'the agent waits longer and longer for a page that stays as it is',
  make: (world) => {
    const { dice } = world;
    const page = `Page snapshot\n${passage(dice, dice.pick([300, 1200, 4000]))}`;
    const name = dice.pick(['time', 'seconds', 'timeout', 'delay_ms']);
    const tool = dice.pick(['browser_wait_for', 'wait_for', 'wait_and_snapshot', 'page_wait']);
    const scale = name === 'delay_ms' ? 1000 : 1;
    const first = dice.between(1, 3);
    const delays = times(dice.between(6, 10), (at) => first * (at + 1));
    return delays.map((delay) => ({ ...call(tool, { [name]: delay * scale }, world.ok(page)), took: delay }));
  },
};

export const LOOP_ROUNDS: readonly Kind[] = [
  CYCLE,
  FORM,
  EMPTY_TWICE,
  EIGHT_AGAIN,
  CHANGING_LIMIT,
  SAME_ANSWER,
  GROWING_DELAYS,
];
