// Failures of which each says something else, or which are followed by a success.

import { makeIds } from './ids.ts';
import { sentence } from './prose.ts';
import { ERROR_FORMATS, type ErrorFormat, type RequestError, sampleRequestErrors } from './request-errors.ts';
import { type SimulatedServer, sampleIds, syntheticCall, VERBS } from './simulated-server.ts';
import { repeatMake, type StretchKind } from './stretch-kind.ts';
import type { SyntheticCall, SyntheticResult } from './synthetic-call.ts';

/** The agent mends what it was told of, and is told of the next thing. */
function makeCorrections(world: SimulatedServer, form: ErrorFormat): SyntheticCall[] {
  const { dice } = world;
  const tool = world.tool(dice.chance(0.5) ? VERBS.create : VERBS.change);
  const asOk = dice.chance(0.2);
  const args: Record<string, unknown> = { [world.argument('entry_id')]: dice.digits(6) };
  const calls = sampleRequestErrors(dice, dice.between(5, 10)).map((fault) => {
    const made = syntheticCall(tool, { ...args }, toRefusal(world, { fault, form, asOk }), 'write');
    args[world.argument(fault.field)] = sentence(dice, 2);
    return made;
  });
  return [...calls, syntheticCall(tool, { ...args }, world.ok({ id: dice.hex(10), created: true }), 'write')];
}

interface RefusalOptions {
  readonly fault: RequestError;
  readonly form: ErrorFormat;
  readonly asOk: boolean;
}

function toRefusal(world: SimulatedServer, { fault, form, asOk }: RefusalOptions): SyntheticResult {
  const text = form(fault, world.dice);
  return asOk ? { ...world.ok(text), errorInResult: true } : world.fail(text, String(fault.status));
}

const CORRECTIONS: readonly StretchKind[] = Object.entries(ERROR_FORMATS).map(([name, form]) => ({
  name: `errors-${name}`,
  because: 'each refusal names something else, which the next call mends',
  make: (world: SimulatedServer) => makeCorrections(world, form),
}));

const NEGATIVE_TESTS: StretchKind = {
  name: 'negative-tests',
  because: 'wrong values are tried on purpose, and each is refused for a reason of its own',
  make: (world) => {
    const { dice } = world;
    const tool = world.tool(VERBS.create);
    return sampleRequestErrors(dice, dice.between(6, 12)).map((fault) => {
      const value = dice.pick([-1, '', null, 'x'.repeat(40), 1e12, [], '<b>']);
      const args = { [world.argument(fault.field)]: value, name: sentence(dice, 2) };
      return syntheticCall(tool, args, world.fail(`${fault.name}: ${fault.message}.`, fault.name), 'write');
    });
  },
};

const TRANSIENT = [
  '503 Service Unavailable',
  'Request timed out after 30 s',
  'ECONNRESET: socket hang up',
  '429 Too Many Requests: slow down',
  'deadlock detected, try again',
];

const RETRIES: StretchKind = {
  name: 'retries-succeed',
  because: 'each request fails for a moment, is tried again and succeeds',
  make: (world) => {
    const { dice } = world;
    const { name, ids } = sampleIds(world, dice.between(3, 5));
    const tool = world.tool(VERBS.read);
    const message = dice.pick(TRANSIENT);
    return ids.flatMap((id) => {
      const args = { [name]: id };
      const failed = repeatMake(dice.between(2, 3), () =>
        syntheticCall(tool, args, world.fail(message, 'UNAVAILABLE')),
      );
      return [...failed, syntheticCall(tool, args, world.ok(world.record(id)))];
    });
  },
};

const EDIT_TEST: StretchKind = {
  name: 'edit-test',
  because: 'after each edit the check says something new',
  make: (world) => {
    const { dice } = world;
    const check = world.tool(VERBS.check, 'suite');
    const edit = world.tool('edit', 'file');
    const target = `src/${dice.pick(['parser', 'engine', 'router'])}.ts`;
    const asOk = dice.chance(0.5);
    const spots = makeIds('slug', dice.between(5, 9), dice);
    return spots.flatMap((spot, round) => [
      syntheticCall(
        edit,
        { path: target, insert: sentence(dice, 6), at: round * 7 },
        world.ok('Edit applied.'),
        'write',
      ),
      syntheticCall(
        check,
        { path: target },
        checkResult(world, { spot: String(spot), left: spots.length - round, asOk }),
      ),
    ]);
  },
};

function checkResult(
  world: SimulatedServer,
  { spot, left, asOk }: { readonly spot: string; readonly left: number; readonly asOk: boolean },
): SyntheticResult {
  const { dice } = world;
  const text = `${left} failed, ${dice.between(20, 60)} passed\n  ${spot}: ${sentence(dice, 8)}\n  at line ${dice.between(1, 900)}`;
  return asOk ? world.ok(text) : world.fail(text, 'exit_1');
}

export const CLEAN_FAILURES: readonly StretchKind[] = [...CORRECTIONS, NEGATIVE_TESTS, RETRIES, EDIT_TEST];
