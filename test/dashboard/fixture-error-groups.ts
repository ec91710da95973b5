// Error groups as the fixture server answers, from its calls: one regressed, one resolved, the others open or as the page set them.

import type { CallRow } from '../../src/contract/calls.ts';
import type {
  ErrorGroupRow,
  ErrorGroupState,
  ErrorGroupsQuery,
  ErrorGroupsResponse,
} from '../../src/contract/error-groups.ts';
import type { ActionRequest, ResolvedQuery } from '../../src/contract/queries.ts';
import { groupBy } from '../../src/core/values/group-by.ts';

const countNames = (calls: readonly CallRow[], nameOf: (call: CallRow) => string): ErrorGroupRow['tools'] =>
  [...groupBy(calls, nameOf)]
    .map(([name, rows]) => ({ name, count: rows.length }))
    .sort((one, other) => other.count - one.count);

function toGroup(calls: readonly CallRow[]): ErrorGroupRow[] {
  const [first] = calls;
  const last = calls.at(-1);
  if (!first || !last) return [];
  const { server, outcome, fault, code, errorMessage: template, startedAt: firstSeenAt } = first;
  return [
    {
      id: Buffer.from(JSON.stringify([server, outcome, code, template]))
        .toString('hex')
        .slice(-16),
      ...{ server, outcome, fault, code, template, firstSeenAt, count: calls.length },
      sessions: new Set(calls.map(({ sessionId }) => sessionId)).size,
      tools: countNames(calls, ({ tool }) => tool),
      versions: countNames(calls, ({ serverVersion }) => serverVersion),
      clients: countNames(calls, ({ client }) => client),
      lastSeenAt: last.startedAt,
      ...{ state: 'open', marked: null, countSinceMark: 0, regressed: null },
    },
  ];
}

const NO_LIMIT = { version: '', until: null, untilCount: null };

/** The error groups, and the action that changes them. */
export function createFixtureErrorGroups() {
  const marks = new Map<string, Pick<ErrorGroupRow, 'state' | 'marked' | 'regressed'>>();
  const at = (): string => new Date(Date.now() - 7_200_000).toISOString();
  const addState = (group: ErrorGroupRow, nth: number): ErrorGroupRow => {
    const marked = {
      mark: 'resolved',
      at: at(),
      author: 'Ana',
      comment: 'waits for the lock',
      ...NO_LIMIT,
    } as const;
    const first = {
      state: 'regressed',
      marked: { ...marked, version: '1.4.3' },
      regressed: { at: group.lastSeenAt, version: '1.4.3' },
    } as const;
    const given = nth === 0 ? first : nth === 1 ? { state: 'resolved' as const, marked } : {};
    return { ...group, ...given, ...marks.get(group.id) };
  };
  return {
    get(
      calls: readonly CallRow[],
      { range, state, group, limit }: ResolvedQuery<ErrorGroupsQuery>,
    ): ErrorGroupsResponse {
      const failed = calls.filter(({ method, fault }) => method === 'tools/call' && fault !== 'none');
      const keyOf = ({ server, outcome, code, errorMessage }: CallRow) =>
        JSON.stringify([server, outcome, code, errorMessage]);
      const groups = [...groupBy(failed, keyOf).values()]
        .flatMap(toGroup)
        .sort((one, other) => other.count - one.count)
        .map(addState);
      const count = (one: ErrorGroupState) => groups.filter((row) => row.state === one).length;
      const isUnresolved = (row: ErrorGroupRow) => row.state === 'open' || row.state === 'regressed';
      const listed = groups.filter((row) =>
        state === 'unresolved' ? isUnresolved(row) : state === undefined || row.state === state,
      );
      return {
        range,
        groups: listed.filter(({ id }) => group === undefined || id === group).slice(0, limit),
        totals: {
          ...{ open: count('open'), regressed: count('regressed') },
          ...{ ignored: count('ignored'), resolved: count('resolved') },
        },
        isWhole: true,
      };
    },
    async set({ id, state, author, comment, version = '' }: ActionRequest<'setErrorGroupState'>) {
      const marked = { ...NO_LIMIT, mark: state, at: new Date().toISOString(), author, comment, version };
      marks.set(id, { state, marked, regressed: null });
    },
  };
}
