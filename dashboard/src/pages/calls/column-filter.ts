// The filters of the calls page: those of every page, which are part of the view, and its own.
import type { FilterValue } from '../../../../src/contract/filter-value.ts';
import { FILTERS, type Filter } from '../../../../src/contract/query.ts';
import { type CallsFilter, type CallsState, callsPath } from '../../paths.ts';
import { FILTER_CONTROLS, FILTER_NAMES } from '../../view/filter-controls.ts';
import { addEntry } from '../../view/filter-entries.ts';
import { type View, withFilter } from '../../view/view.ts';

export type ColumnFilter = CallsFilter | Filter;

interface FilterColumn {
  readonly name: ColumnFilter;
  readonly label: string;
  readonly kind?: 'number';
}

/** In menu order. Time is missing, because the filter bar has the range. */
export const FILTER_COLUMNS: readonly FilterColumn[] = [
  ...FILTER_NAMES.map((name) => ({ name, label: FILTER_CONTROLS[name].label })),
  { name: 'session', label: 'Session' },
  { name: 'method', label: 'Method' },
  { name: 'outcome', label: 'Outcome' },
  { name: 'fault', label: 'Fault' },
  { name: 'code', label: 'Code' },
  { name: 'message', label: 'Message' },
  { name: 'argument', label: 'Argument' },
  { name: 'minMs', label: 'Min duration, ms', kind: 'number' },
  { name: 'maxMs', label: 'Max duration, ms', kind: 'number' },
  { name: 'protocol', label: 'Protocol' },
  { name: 'transport', label: 'Transport' },
  { name: 'guard', label: 'Guard' },
];

/** What the list shows. */
export interface CallsScope {
  readonly view: View;
  readonly state: CallsState;
}

export function getColumnFilter({ view, state }: CallsScope, name: ColumnFilter): FilterValue | undefined {
  return isViewFilter(name) ? view[name] : state[name];
}

/** The list with one filter changed; no call is expanded. */
export function withColumnFilterPath(
  { view, state }: CallsScope,
  [name, filter]: readonly [ColumnFilter, FilterValue | undefined],
): string {
  const { call: _, ...rest } = state;
  return isViewFilter(name)
    ? callsPath(withFilter(view, [name, filter]), rest)
    : callsPath(view, { ...rest, [name]: filter });
}

function isViewFilter(name: ColumnFilter): name is Filter {
  return FILTERS.some((filter) => filter === name);
}

export interface CellChoice {
  readonly text: string;
  readonly path: string;
}

/** What the menu of a cell offers for its value. */
export function listCellChoices(
  scope: CallsScope,
  [name, value]: readonly [ColumnFilter, string],
): CellChoice[] {
  const excluded = addEntry(getColumnFilter(scope, name), { value, isExcluded: true });
  return [
    { text: 'Only this', path: withColumnFilterPath(scope, [name, value]) },
    { text: 'Exclude', path: withColumnFilterPath(scope, [name, excluded]) },
  ];
}

/** The same for a duration in milliseconds. */
export function listDurationChoices(scope: CallsScope, durationMs: number): CellChoice[] {
  return [
    { text: 'This or longer', path: withColumnFilterPath(scope, ['minMs', String(durationMs)]) },
    { text: 'This or shorter', path: withColumnFilterPath(scope, ['maxMs', String(durationMs)]) },
  ];
}
