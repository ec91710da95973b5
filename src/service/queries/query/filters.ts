// What a person filters by becomes conditions with typed parameters; no text of theirs is ever part of the SQL.
// A filter that was not asked adds nothing, and an empty error code is a filter, not the absence of one.

import { MAX_MESSAGE_FILTER_LENGTH } from '../../../contract/query.ts';

/** Every filter of every query of the contract that is one value of one column. */
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

/** Conditions joined by AND, and the parameters they name. */
export interface Where {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The filters a person asked for. */
export function listActiveFilters(filters: Filters): FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name] !== undefined);
}

/**
 * The filters as conditions.
 *
 * @param only which filters the table at hand has a column for; all of them when left out
 */
export function whereFilters(filters: Filters, only: readonly FilterName[] = FILTER_NAMES): Where {
  const names = listActiveFilters(filters).filter((name) => only.includes(name));
  return {
    sql: names.map((name) => toCondition(name, filters[name])).join(' AND '),
    params: Object.fromEntries(names.map((name) => [name, filters[name]])),
  };
}

/** A message that fills its filter may go on; one unit less, because a character of two is not cut in half. */
function toCondition(name: FilterName, value = ''): string {
  return name === 'message' && value.length >= MAX_MESSAGE_FILTER_LENGTH - 1
    ? `startsWith(${FILTER_COLUMNS[name]}, {${name}:String})`
    : `${FILTER_COLUMNS[name]} = {${name}:String}`;
}

/** Puts conditions together; empty ones add nothing, and no condition at all is true. */
export function allOf(...conditions: readonly Where[]): Where {
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
