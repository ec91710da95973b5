// Ordinary work that surrounds a stretch: each call asks for something else and gets another answer.
import { makeIds } from './ids.ts';
import type { MadeCall } from './made-call.ts';
import { passage, sentence } from './prose.ts';
import { THINGS } from './words.ts';
import { call, VERBS, type World } from './world.ts';

/** So many calls of which none is like another. */
export function makeWork(world: World, count: number): MadeCall[] {
  const { dice, domain } = world;
  const ids = makeIds('code', count, dice);
  const makers = [read, search, write, jot];
  return ids.map((id) => dice.pick(makers)(world, { id, noun: dice.pick(domain.nouns) }));
}

interface Target {
  readonly id: string | number;
  readonly noun: string;
}

function read(world: World, { id, noun }: Target): MadeCall {
  return call(
    world.tool(VERBS.read, noun),
    { [world.argument(`${noun}_id`)]: id },
    world.ok(world.record(id)),
  );
}

function search(world: World, { id, noun }: Target): MadeCall {
  const { dice } = world;
  const rows = makeIds('code', dice.between(1, 4), dice).map((found) => world.record(found));
  const query = `${dice.some(THINGS, 2).join(' ')} ${id}`;
  return call(world.tool(VERBS.search, `${noun}s`), { [world.argument('query')]: query }, world.ok(rows));
}

function write(world: World, { id, noun }: Target): MadeCall {
  const { dice } = world;
  const args = { [world.argument(`${noun}_id`)]: id, text: sentence(dice, dice.between(3, 9)) };
  return call(world.tool(VERBS.change, noun), args, world.ok({ id, updated: true }), 'write');
}

function jot(world: World, { id }: Target): MadeCall {
  const { dice } = world;
  const text = passage(dice, dice.between(40, 200));
  return call(
    world.tool('append', 'note'),
    { text },
    world.ok(`Noted as ${id}, ${text.length} bytes.`),
    'write',
  );
}
