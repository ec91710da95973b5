// The errors page: groups of failures with their states. A page of it takes one statement, and one more if a listed
// group was marked.

import type {
  ErrorGroupMark,
  ErrorGroupRow,
  ErrorGroupStateBody,
  ErrorGroupsQuery,
  ErrorGroupsResponse,
  StoredErrorGroupMark,
} from '../../../contract/error-groups.ts';
import { ERROR_GROUP_STATES } from '../../../contract/error-groups.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { UserError } from '../../../errors.ts';
import { clipToRetention } from '../query/call-window.ts';
import type { QueryContext } from '../query/query-context.ts';
import { decideState } from './decide-state.ts';
import {
  type GroupRow,
  MAX_GROUPS,
  readErrorGroups,
  readFailuresSince,
  readGroupVersions,
} from './error-group-rows.ts';

/** Names listed of the tools, versions and clients of a group each. */
const MAX_NAMES = 20;

export async function getErrorGroups(
  { range, state, group, limit, ...filters }: ResolvedQuery<ErrorGroupsQuery>,
  context: QueryContext,
): Promise<ErrorGroupsResponse> {
  const kept = clipToRetention(range, context);
  const rows = kept === undefined ? [] : await readErrorGroups({ range: kept, filters }, context);
  const groups = (await addStates(rows.slice(0, MAX_GROUPS), context)).sort(compareUrgency);
  const listed = groups.filter(
    (one) => (state === undefined || hasState(one, state)) && (group === undefined || one.id === group),
  );
  return {
    range,
    groups: listed.slice(0, limit),
    totals: countStates(groups),
    isWhole: rows.length <= MAX_GROUPS,
  };
}

async function addStates(rows: readonly GroupRow[], context: QueryContext): Promise<ErrorGroupRow[]> {
  const marks = new Map((await context.errorGroupMarks?.list())?.map((mark) => [mark.id, mark]));
  const marked = rows.flatMap(({ id, server }) => {
    const mark = marks.get(id);
    return mark === undefined || mark.mark === 'open' ? [] : [{ id, server, markedMs: Date.parse(mark.at) }];
  });
  const since = await readFailuresSince(marked, context);
  return rows.map((row) => {
    const failures = since.get(row.id) ?? [];
    const mark = marks.get(row.id);
    return {
      ...toGroup(row),
      ...decideState(mark, failures, context.nowMs),
      marked: mark === undefined ? null : toShownMark(mark),
      countSinceMark: failures.reduce((sum, { count }) => sum + count, 0),
    };
  });
}

type GroupWithoutState = Omit<ErrorGroupRow, 'state' | 'marked' | 'countSinceMark' | 'regressed'>;

function toGroup(row: GroupRow): GroupWithoutState {
  const { id, server, of_outcome: outcome, of_fault: fault, code, template } = row;
  const firstUs = row.sighted_us === 0 ? row.first_in_us : Math.min(row.sighted_us, row.first_in_us);
  return {
    ...{ id, server, outcome, fault, code, template },
    count: row.n,
    sessions: row.session_count,
    tools: toNamedCounts(row.tools),
    versions: toNamedCounts(row.versions),
    clients: toNamedCounts(row.clients),
    firstSeenAt: formatIso(firstUs),
    lastSeenAt: formatIso(row.last_us),
  };
}

function toNamedCounts([names, counts]: GroupRow['tools']): ErrorGroupRow['tools'] {
  return names
    .map((name, at) => ({ name, count: counts[at] ?? 0 }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
    .slice(0, MAX_NAMES);
}

function toShownMark({ id: _, olderVersions: __, ...shown }: StoredErrorGroupMark): ErrorGroupMark {
  return shown;
}

function hasState({ state }: ErrorGroupRow, selected: NonNullable<ErrorGroupsQuery['state']>): boolean {
  return selected === 'unresolved' ? state === 'open' || state === 'regressed' : state === selected;
}

/** Regressed groups first; the others as they came, most frequent first. */
const compareUrgency = (one: ErrorGroupRow, other: ErrorGroupRow): number =>
  Number(other.state === 'regressed') - Number(one.state === 'regressed');

function countStates(groups: readonly ErrorGroupRow[]): ErrorGroupsResponse['totals'] {
  const counted = ERROR_GROUP_STATES.map((state) => [
    state,
    groups.filter((group) => group.state === state).length,
  ]);
  return Object.fromEntries(counted) as ErrorGroupsResponse['totals']; // one entry for each state
}

/**
 * Stores what a person said about a group.
 *
 * @throws UserError NOT_FOUND if no retained call failed like this; INVALID_BODY for a field of another state
 */
export async function markErrorGroup(
  { id, ...body }: ErrorGroupStateBody & { readonly id: string },
  context: QueryContext,
): Promise<void> {
  const { errorGroupMarks, nowMs } = context;
  assertFieldsOfState(body);
  if (errorGroupMarks === undefined)
    throw new UserError('INVALID_BODY', 'The states of error groups cannot be stored here.');
  const versions = await readGroupVersions(id, context);
  if (versions === undefined)
    throw new UserError('NOT_FOUND', 'No stored call belongs to an error group of that id.', {
      hint: `Single calls are retained for ${context.rawDays} days.`,
    });
  await errorGroupMarks.set(toMark({ id, ...body }, { nowMs, versions }));
}

/** A limit that would have no effect is refused, because it is a mistake. */
function assertFieldsOfState({ state, version, seconds, count }: ErrorGroupStateBody): void {
  const given = { version, seconds, count };
  const allowed: Readonly<Record<keyof typeof given, ErrorGroupStateBody['state']>> = {
    version: 'resolved',
    seconds: 'ignored',
    count: 'ignored',
  };
  for (const field of ['version', 'seconds', 'count'] as const)
    if (given[field] !== undefined && allowed[field] !== state)
      throw new UserError('INVALID_BODY', `"${field}" is only allowed with the state "${allowed[field]}".`, {
        field,
      });
}

function toMark(
  { id, state, version = '', seconds, count, author, comment }: ErrorGroupStateBody & { readonly id: string },
  { nowMs, versions }: { readonly nowMs: number; readonly versions: readonly string[] },
): StoredErrorGroupMark {
  return {
    ...{ id, mark: state, author, comment, version },
    at: new Date(nowMs).toISOString(),
    until: seconds === undefined ? null : new Date(nowMs + seconds * 1_000).toISOString(),
    untilCount: count ?? null,
    olderVersions: version === '' ? [] : versions.filter((one) => one !== version),
  };
}
