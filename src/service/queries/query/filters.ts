// Filters become conditions with typed parameters; user text is never part of the SQL. An absent filter adds
// nothing, whereas an empty error code is a filter.

import { MAX_MESSAGE_FILTER_LENGTH } from '../../../contract/query.ts';

/** Every filter of the query contract that is a single value of a single column. */
export interface Filters {
  readonly server?: string | undefined;
  readonly environment?: string | undefined;
  readonly client?: string | undefined;
  readonly tool?: string | undefined;
  readonly version?: string | undefined;
  readonly plan?: string | undefined;
  readonly method?: string | undefined;
  readonly outcome?: string | undefined;
  readonly fault?: string | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly argument?: string | undefined;
  readonly session?: string | undefined;
  readonly protocol?: string | undefined;
  readonly transport?: string | undefined;
}

export type FilterName = keyof Filters;

const FILTER_COLUMNS: Readonly<Record<FilterName, string>> = {
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
};

const FILTER_NAMES = Object.keys(FILTER_COLUMNS).filter((name): name is FilterName => name in FILTER_COLUMNS);

/** The column of `calls` that a filter compares. */
export function toColumn(name: FilterName): string {
  return FILTER_COLUMNS[name];
}

/** Conditions joined by AND, and their parameters. */
export interface Where {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The filters that are set. */
export function listActiveFilters(filters: Filters): FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name] !== undefined);
}

/**
 * The filters as conditions.
 *
 * @param only the filters that are columns of the table; undefined means all
 */
export function whereFilters(filters: Filters, only: readonly FilterName[] = FILTER_NAMES): Where {
  const names = listActiveFilters(filters).filter((name) => only.includes(name));
  return {
    sql: names.map((name) => toCondition(name, filters[name])).join(' AND '),
    params: Object.fromEntries(names.map((name) => [name, filters[name]])),
  };
}

/**
 * A message of the maximum filter length may be longer when stored; one code unit less, so that a surrogate
 * pair is not split.
 */
function toCondition(name: FilterName, value = ''): string {
  return name === 'message' && value.length >= MAX_MESSAGE_FILTER_LENGTH - 1
    ? `startsWith(${FILTER_COLUMNS[name]}, {${name}:String})`
    : `${FILTER_COLUMNS[name]} = {${name}:String}`;
}

/** Joins conditions with AND; absent ones add nothing, and no conditions at all is true. */
export function allOf(...given: readonly (Where | undefined)[]): Where {
  const conditions = given.filter((one) => one !== undefined);
  const nonEmpty = conditions.filter(({ sql }) => sql !== '');
  return {
    sql: nonEmpty.length === 0 ? '1' : nonEmpty.map(({ sql }) => sql).join(' AND '),
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
