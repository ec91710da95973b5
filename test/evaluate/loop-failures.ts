// Failing in one way, and going on as if it had not been said.
import { makeQueries } from './clean-searches.ts';
import { makeIds } from './ids.ts';
import { passage, sentence } from './prose.ts';
import { MISSING_ARGUMENT_FORMS, sampleDenial, sampleOutage } from './refusals.ts';
import { type SimulatedServer, sampleIds, syntheticCall, VERBS } from './simulated-server.ts';
import { repeatMake, type StretchKind } from './stretch-kind.ts';
import type { SyntheticCall, SyntheticResult } from './synthetic-call.ts';

const TRUNCATED: StretchKind = {
  name: 'truncated-arguments',
  because: 'a required argument is missing, the server says so, and it is missing again',
  make: (world) => {
    const { dice } = world;
    const tool = world.tool(dice.pick(['write', 'create', 'save']), 'file');
    const path = `docs/${dice.pick(['report', 'summary', 'plan'])}.md`;
    const args = dice.pick<Record<string, unknown>>([{}, { path }, { path, mode: 'overwrite' }]);
    const text = dice.pick(MISSING_ARGUMENT_FORMS)({
      tool,
      argument: dice.pick(['content', 'text', 'body']),
    });
    const failure = world.fail(text, '-32602');
    const answer = dice.chance(0.5) ? { ...failure, outcome: 'invalid_arguments' as const } : failure;
    return repeatMake(dice.between(3, 5), () => syntheticCall(tool, args, answer, 'write'));
  },
};

const PARALLEL_REFUSALS: StretchKind = {
  name: 'parallel-refusals',
  because: 'the same handful of calls is made at once, refused alike, and made again',
  make: (world) => {
    const { dice } = world;
    const tool = world.tool(VERBS.change);
    const { name, ids } = sampleIds(world, dice.between(3, 5));
    const refused = world.fail(sampleDenial(dice), 'FORBIDDEN');
    const batch = ids.map((id, at) => ({
      ...syntheticCall(tool, { [name]: id }, refused, 'write'),
      beside: at > 0,
    }));
    return repeatMake(dice.between(3, 5), () => batch).flat();
  },
};

/** One denial to several tools that all want the same thing. */
function makeDenials(world: SimulatedServer, answer: SyntheticResult): SyntheticCall[] {
  const { dice } = world;
  const tools = dice.some(VERBS.change, dice.between(3, 5)).map((verb) => world.tool(verb));
  const id = dice.digits(6);
  return repeatMake(dice.between(7, 12), (at) =>
    syntheticCall(tools[at % tools.length]!, { id, value: sentence(dice, 3) }, answer, 'write'),
  );
}

const DENIED: StretchKind = {
  name: 'denied-everywhere',
  because: 'one thing is denied, and is asked for by one tool after another',
  make: (world) => makeDenials(world, world.fail(sampleDenial(world.dice), 'FORBIDDEN')),
};

const DENIED_SOFTLY: StretchKind = {
  name: 'denied-as-ok',
  because: 'the same, where the server says ok and means no',
  make: (world) => {
    const soft = world.dice.chance(0.5);
    const answer = world.ok(sampleDenial(world.dice));
    return makeDenials(world, soft ? { ...answer, errorInResult: true } : answer);
  },
};

const ERROR_STORM: StretchKind = {
  name: 'error-storm',
  because: 'three tools fail in the same words, call after call, because what is behind them is down',
  make: (world) => {
    const { dice } = world;
    const down = world.fail(sampleOutage(dice), 'UNAVAILABLE');
    const tools = [VERBS.read, VERBS.search, VERBS.change].map((verbs) => world.tool(verbs));
    const targets = makeIds('code', dice.between(2, 4), dice);
    return repeatMake(dice.between(9, 18), () =>
      syntheticCall(dice.pick(tools), { [world.argument('id')]: dice.pick(targets) }, down),
    );
  },
};

const GUESSES: StretchKind = {
  name: 'guesses-not-found',
  because: 'ids are made up one after another, and none exists',
  make: (world) => {
    const { dice } = world;
    const { name, ids } = sampleIds(world, dice.between(7, 14), dice.pick(['code', 'slug', 'uuid'] as const));
    const tool = world.tool(VERBS.read);
    const noun = world.domain.nouns[0];
    const say = dice.pick<(id: string | number) => string>([
      (id) => `404: ${noun} "${id}" not found`,
      () => `404 Not Found`,
      (id) => JSON.stringify({ error: { code: 'not_found', message: `No ${noun} with id ${id}` } }),
    ]);
    return ids.map((id) => syntheticCall(tool, { [name]: id }, world.fail(say(id), 'NOT_FOUND')));
  },
};

const IGNORED_ERROR: StretchKind = {
  name: 'same-error-rephrased',
  because: 'the query is put in other words each time, and the server gives the one error it has',
  make: (world) => {
    const { dice } = world;
    const failed = world.fail(`Syntax error near line 1. ${passage(dice, 60)}`, 'SYNTAX');
    const tool = world.tool(VERBS.search, 'records');
    return makeQueries(world, dice.between(6, 12)).map((query) => syntheticCall(tool, { query }, failed));
  },
};

export const LOOP_FAILURES: readonly StretchKind[] = [
  TRUNCATED,
  PARALLEL_REFUSALS,
  DENIED,
  DENIED_SOFTLY,
  ERROR_STORM,
  GUESSES,
  IGNORED_ERROR,
];
