// Which results fed which arguments of the fortnight, counted from the ledger alone: an argument took a value if an earlier result
// of its session offered it. Values are drawn at random and long enough that equal ones are the same thing.
import { z } from 'zod';
import { groupBy } from '../../support/oracle/call-stats.ts';
import { countDistinctSessions, isError, type LoggedCall, listSessions } from './call-log.ts';

/** An argument whose value, or a part of it, an earlier result had. */
interface Take {
  readonly call: LoggedCall;
  readonly argument: string;
  readonly isPart: boolean;
  readonly source: LoggedCall;
  readonly field: string;
}

type Value = string | number;
const Arguments = z.record(z.string(), z.union([z.string(), z.number()]));
const argumentsOf = ({ args }: LoggedCall): [string, Value][] =>
  Object.entries(Arguments.parse(JSON.parse(args)));

const offersOf = (source: LoggedCall) =>
  Object.entries(source.offers).flatMap(([field, values]) =>
    values.map((value) => ({ source, field, value })),
  );

export const listTakes = (facts: readonly LoggedCall[]): Take[] =>
  listSessions(facts).flatMap((session) =>
    session.flatMap((call, at) => listTakesOf(call, session.slice(0, at))),
  );

function listTakesOf(call: LoggedCall, earlier: readonly LoggedCall[]): Take[] {
  const offered = earlier.flatMap(offersOf);
  return argumentsOf(call).flatMap(([argument, given]) =>
    offered
      .filter(({ value }) => String(given).includes(value))
      .map(({ source, field, value }) => ({ call, argument, isPart: given !== value, source, field })),
  );
}

/** The third rate of some results: those that a later call took a value from, of those with fields that can be recognised. */
export function countUsed(facts: readonly LoggedCall[], takes: readonly Take[]) {
  const used = new Set(takes.map(({ source }) => source));
  const results = facts.filter(({ offers }) => Object.keys(offers).length > 0);
  const n = results.length;
  return { n, value: n === 0 ? null : results.filter((fact) => used.has(fact)).length / n };
}

export function expectedEdges(takes: readonly Take[]) {
  const edgeOf = ({ source, field, call, argument }: Take) =>
    [source.server, source.tool, field, call.tool, argument] as const;
  return [...groupBy(takes, (take) => edgeOf(take).join(' ')).values()].flatMap((own) =>
    own.slice(0, 1).map((first) => {
      const [server, sourceTool, sourcePath, tool, path] = edgeOf(first);
      return {
        ...{ server, sourceTool, sourcePath, tool, path, calls: own.length },
        partialCalls: own.filter(({ isPart }) => isPart).length,
        errors: own.filter(({ call }) => isError(call)).length,
      };
    }),
  );
}

/** Fields that no call took; of a text it cannot be said. */
export function expectedUnusedFields(facts: readonly LoggedCall[], takes: readonly Take[]) {
  const fieldOf = ({ server, tool }: LoggedCall, path: string) => `${server} ${tool} ${path}`;
  const taken = new Set(takes.map(({ source, field }) => fieldOf(source, field)));
  const offered = facts.flatMap((fact) => Object.keys(fact.offers).map((path) => ({ fact, path })));
  return [...groupBy(offered, ({ fact, path }) => fieldOf(fact, path))]
    .filter(([field]) => !field.endsWith(' text') && !taken.has(field))
    .flatMap(([, own]) =>
      own.slice(0, 1).map(({ fact: { server, tool }, path }) => ({
        ...{ server, tool, path, results: own.length },
        sessions: countDistinctSessions(own.map(({ fact }) => fact)),
      })),
    );
}

/** Ids, numbers above a thousand, and longer texts without a blank that are no plain words; keys of a request are made up by design. */
function isRecognised(argument: string, value: Value): boolean {
  if (argument === 'idempotency_key') return false;
  if (typeof value === 'number') return value > 1_000;
  return argument === 'id' || argument.endsWith('_id') || (value.length >= 8 && /^\S*\d\S*$/.test(value));
}

interface Sourcing {
  readonly call: LoggedCall;
  readonly argument: string;
  readonly origin: 'result' | 'argument' | 'nowhere';
}

function listSourcing(facts: readonly LoggedCall[], takes: readonly Take[]): Sourcing[] {
  const taken = new Set(takes.map(({ call, argument }) => `${facts.indexOf(call)} ${argument}`));
  return listSessions(facts).flatMap((session) => {
    const before = new Set<Value>();
    return session.flatMap((call) => {
      const given = argumentsOf(call).filter(([argument, value]) => isRecognised(argument, value));
      const found = given.map(([argument, value]): Sourcing => {
        const isTaken = taken.has(`${facts.indexOf(call)} ${argument}`);
        return { call, argument, origin: isTaken ? 'result' : before.has(value) ? 'argument' : 'nowhere' };
      });
      for (const [, value] of given) before.add(value);
      return found;
    });
  });
}

const toRate = (calls: readonly LoggedCall[], isHit: (call: LoggedCall) => boolean) => ({
  n: calls.length,
  value: calls.length === 0 ? null : calls.filter(isHit).length / calls.length,
});

/** Arguments with a value that came from no result and no earlier argument, in at least one call. */
export function expectedUnsourced(facts: readonly LoggedCall[], takes: readonly Take[]) {
  const all = listSourcing(facts, takes);
  const placeOf = ({ call, argument }: Sourcing) => `${call.server} ${call.tool} ${argument}`;
  return [...groupBy(all, placeOf).values()].flatMap((own) => {
    const of = (origin: Sourcing['origin']) =>
      own.filter((one) => one.origin === origin).map(({ call }) => call);
    const [first] = own;
    const nowhere = of('nowhere');
    if (first === undefined || nowhere.length === 0) return [];
    return {
      ...{ server: first.call.server, tool: first.call.tool, path: first.argument },
      unsourced: { n: own.length, value: nowhere.length / own.length },
      errorRate: toRate(nowhere, isError),
      sourcedErrorRate: toRate(of('result'), isError),
    };
  });
}
