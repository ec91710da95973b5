// Ordinary work that surrounds a stretch: each call asks for something else and gets another answer.
import { makeIds } from './ids.ts';
import { passage, sentence } from './prose.ts';
import { type SimulatedServer, syntheticCall, VERBS } from './simulated-server.ts';
import type { SyntheticCall } from './synthetic-call.ts';
import { NOUNS } from './words.ts';

/** So many calls of which none is like another. */
export function makeOrdinaryWork(world: SimulatedServer, count: number): SyntheticCall[] {
  const { dice, domain } = world;
  const ids = makeIds('code', count, dice);
  const makers = [read, search, write, appendNote];
  return ids.map((id) => dice.pick(makers)(world, { id, noun: dice.pick(domain.nouns) }));
}

interface Target {
  readonly id: string | number;
  readonly noun: string;
}

function read(world: SimulatedServer, { id, noun }: Target): SyntheticCall {
  return syntheticCall(
    world.tool(VERBS.read, noun),
    { [world.argument(`${noun}_id`)]: id },
    world.ok(world.record(id)),
  );
}

function search(world: SimulatedServer, { id, noun }: Target): SyntheticCall {
  const { dice } = world;
  const rows = makeIds('code', dice.between(1, 4), dice).map((found) => world.record(found));
  const query = `${dice.some(NOUNS, 2).join(' ')} ${id}`;
  return syntheticCall(
    world.tool(VERBS.search, `${noun}s`),
    { [world.argument('query')]: query },
    world.ok(rows),
  );
}

function write(world: SimulatedServer, { id, noun }: Target): SyntheticCall {
  const { dice } = world;
  const args = { [world.argument(`${noun}_id`)]: id, text: sentence(dice, dice.between(3, 9)) };
  return syntheticCall(world.tool(VERBS.change, noun), args, world.ok({ id, updated: true }), 'write');
}

function appendNote(world: SimulatedServer, { id }: Target): SyntheticCall {
  const { dice } = world;
  const text = passage(dice, dice.between(40, 200));
  return syntheticCall(
    world.tool('append', 'note'),
    { text },
    world.ok(`Noted as ${id}, ${text.length} bytes.`),
    'write',
  );
}
