// Filters become conditions with typed parameters; user text is never part of the SQL. An absent filter adds
// nothing, whereas an empty error code is a filter. A new filter is a row in COLUMNS, and its name in the lists
// of the tables that can apply it.

import { MAX_MESSAGE_FILTER_LENGTH } from '../../../contract/calls.ts';
import { type FilterValue, toFilterChoice } from '../../../contract/filter-value.ts';
import type { Filter } from '../../../contract/query.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { UserError } from '../../../errors.ts';
import {
  compareColumn,
  compareElements,
  type FilterComparison,
  type Where,
  whereFilter,
} from './filter-condition.ts';
import { IDENTITY } from './session-identity.ts';

export type { Where } from './filter-condition.ts';

/** The column of each filter; every table that has it uses the same name. */
const COLUMNS = {
  server: 'server_name',
  environment: 'environment',
  client: 'client_name',
  tool: 'tool_name',
  version: 'server_version',
  plan: 'plan_id',
  method: 'method',
  outcome: 'outcome',
  fault: 'fault',
  code: 'error_code',
  message: 'error_message',
  argument: 'error_argument',
  session: 'session_id',
  protocol: 'protocol_version',
  transport: 'transport',
  guard: 'guard_verdict',
} as const satisfies Readonly<Record<Filter, string> & Record<string, string>>;

export type FilterName = keyof typeof COLUMNS;

/** Every filter of the query contract that compares a single column. */
export type Filters = { readonly [Name in FilterName]?: FilterValue | undefined };

/** The filters that all resources share. */
export type CommonFilters = { readonly [Name in Filter]?: FilterValue | undefined };

const FILTER_NAMES = Object.keys(COLUMNS) as FilterName[];

/** The filters that each table can apply. */
const TABLES = {
  calls: FILTER_NAMES,
  failed_calls: [
    ...(['server', 'environment', 'client', 'tool', 'version', 'plan', 'session'] as const),
    ...(['outcome', 'fault', 'code', 'message', 'argument'] as const),
  ],
  child_spans: ['server', 'environment', 'tool', 'client', 'version'],
  tool_minutes: ['server', 'environment', 'tool', 'client', 'version'],
  tool_hours: ['server', 'environment', 'tool'],
  tool_days: ['server', 'environment', 'tool'],
  client_days: ['server', 'environment', 'tool', 'client', 'version'],
  sessions: ['server', 'environment', 'session'],
  loops: ['server', 'environment', 'tool', 'client', 'version', 'plan', 'session'],
  storms: ['server', 'environment', 'tool'],
  change_points: ['server', 'environment', 'tool'],
  name_sightings: ['server', 'environment'],
  failure_sightings: ['server', 'environment', 'tool', 'code'],
  tools: ['server', 'tool'],
  catalogue_tools: ['server', 'tool'],
  tool_usage: ['server', 'environment', 'tool'],
  listing_days: ['server', 'environment'],
  advice_seen: ['server', 'tool'],
} as const satisfies Record<string, readonly FilterName[]>;

const HAS_TOOL = compareElements('tools');
const toVersionOfSession = (sql: string) =>
  `(${IDENTITY}) IN (SELECT ${IDENTITY} FROM sessions WHERE ${sql})`;
const VERSION_OF_SESSION: FilterComparison = {
  equals: (value) => toVersionOfSession(`server_version = ${value}`),
  isAnyOf: (values) => toVersionOfSession(`server_version IN ${values}`),
};

/** For a filter that a table applies without its column. */
const COMPARISONS: { readonly [T in Table]?: { readonly [Name in FilterName]?: FilterComparison } } = {
  loops: { tool: HAS_TOOL, version: VERSION_OF_SESSION },
  storms: { tool: HAS_TOOL },
};

export type Table = keyof typeof TABLES;
type FilterOf<T extends Table> = (typeof TABLES)[T][number];

/** Filters that a table can apply; any other one must be absent. */
export type FiltersOf<T extends Table> = Filters & {
  readonly [Name in Exclude<FilterName, FilterOf<T>>]?: undefined;
};

/** The column that a filter compares. */
export const toColumn = (name: FilterName): string => COLUMNS[name];

/** The filters that are set. */
export function listActiveFilters(filters: Filters): FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name] !== undefined);
}

/** The calls of a range that pass the filters. */
export interface CallSelection<F extends Filters = Filters> {
  readonly range: TimeRange;
  readonly filters: F;
}

/** Whether a table can apply a filter. */
export function hasFilter(table: Table, name: FilterName): boolean {
  return TABLES[table].some((one) => one === name);
}

/** The first filter that a table cannot apply. */
export function findMissingFilter(table: Table, filters: Filters): FilterName | undefined {
  return listActiveFilters(filters).find((name) => !hasFilter(table, name));
}

/** Whether a table can apply all filters that are set. */
export function canFilter<T extends Table>(table: T, filters: Filters): filters is FiltersOf<T> {
  return findMissingFilter(table, filters) === undefined;
}

/**
 * The filters that a table can apply. The others are left out, which makes the result larger: only for results
 * that are not about calls, and for reads that apply the others later.
 */
export function pickFilters<T extends Table>(table: T, filters: Filters): FiltersOf<T> {
  return selectFilters(filters, (name) => hasFilter(table, name)) as FiltersOf<T>; // by the same list
}

/** The filters that a table cannot apply. */
export function omitFilters(table: Table, filters: Filters): Filters {
  return selectFilters(filters, (name) => !hasFilter(table, name));
}

function selectFilters(filters: Filters, isSelected: (name: FilterName) => boolean): Filters {
  const names = listActiveFilters(filters).filter(isSelected);
  return Object.fromEntries(names.map((name) => [name, filters[name]]));
}

/**
 * The filters as conditions on a table.
 *
 * @throws UserError INVALID_PARAMETER for a filter that the table cannot apply
 */
export function whereFilters<T extends Table>(table: T, filters: FiltersOf<T>): Where {
  const missing = findMissingFilter(table, filters);
  if (missing !== undefined) throw createFilterError(missing, TABLES[table]);
  const conditions = listActiveFilters(filters).map((name) =>
    whereFilter(name, filters[name], COMPARISONS[table]?.[name] ?? toComparison(name, filters[name])),
  );
  return joinConditions(conditions);
}

function createFilterError(name: FilterName, allowed: readonly FilterName[]): UserError {
  return new UserError(
    'INVALID_PARAMETER',
    `Filter "${name}" cannot be applied here. Allowed are ${allowed.join(', ')}.`,
    { field: name, hint: `Leave "${name}" out.` },
  );
}

/**
 * A message of the maximum filter length may be longer when stored; one code unit less, so that a surrogate
 * pair is not split.
 */
function toComparison(name: FilterName, value: FilterValue | undefined): FilterComparison {
  const column = COLUMNS[name];
  const { only, except } = toFilterChoice(value);
  const isCut = [...only, ...except].some((text) => text.length >= MAX_MESSAGE_FILTER_LENGTH - 1);
  if (name !== 'message' || !isCut) return compareColumn(column);
  const isLong = `length(one) >= ${MAX_MESSAGE_FILTER_LENGTH - 1}`;
  return {
    equals: (text) => `startsWith(${column}, ${text})`,
    isAnyOf: (texts) =>
      `arrayExists(one -> ${column} = one OR (${isLong} AND startsWith(${column}, one)), ${texts})`,
  };
}

/** Joins conditions with AND; absent ones add nothing, and no conditions at all is true. */
export function allOf(...given: readonly (Where | undefined)[]): Where {
  const conditions = given.filter((one) => one !== undefined);
  const { sql, params } = joinConditions(conditions);
  return { sql: sql === '' ? '1' : sql, params };
}

function joinConditions(conditions: readonly Where[]): Where {
  return {
    sql: conditions.flatMap(({ sql }) => (sql === '' ? [] : [sql])).join(' AND '),
    params: Object.assign({}, ...conditions.map(({ params }) => params)),
  };
}

/** A condition without parameters. */
export function rawSql(sql: string): Where {
  return { sql, params: {} };
}

/** A condition with one parameter; undefined without a value. */
export function whereGiven(
  sql: string,
  params: Readonly<Record<string, string | number | undefined>>,
): Where | undefined {
  return Object.values(params).includes(undefined) ? undefined : { sql, params };
}
