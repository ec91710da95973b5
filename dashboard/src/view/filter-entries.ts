// The values of a filter one by one, as chips and menus show them, and what choosing one does.

import { type FilterValue, toFilterChoice, toFilterValue } from '../../../src/contract/filter-value.ts';

/** One value that a filter selects or excludes. */
export interface FilterEntry<Name extends string = string> {
  readonly name: Name;
  readonly value: string;
  readonly isExcluded: boolean;
}

export function listFilterEntries<Name extends string>(
  name: Name,
  filter: FilterValue | undefined,
): FilterEntry<Name>[] {
  const { only, except } = toFilterChoice(filter);
  return [
    ...only.map((value) => ({ name, value, isExcluded: false })),
    ...except.map((value) => ({ name, value, isExcluded: true })),
  ];
}

/** The filter with one value more. */
export function addEntry(
  filter: FilterValue | undefined,
  { value, isExcluded }: Pick<FilterEntry, 'value' | 'isExcluded'>,
): FilterValue | undefined {
  const { only, except } = toFilterChoice(removeEntry(filter, value));
  return toFilterValue(
    isExcluded ? { only, except: [...except, value] } : { only: [...only, value], except },
  );
}

/** The filter without a value, selected or excluded. */
export function removeEntry(filter: FilterValue | undefined, value: string): FilterValue | undefined {
  const { only, except } = toFilterChoice(filter);
  const isOther = (one: string): boolean => one !== value;
  return toFilterValue({ only: only.filter(isOther), except: except.filter(isOther) });
}

/** Describes a filter in a sentence: "tool search or fetch, not delete". An empty value is "none". */
export function describeFilter(name: string, filter: FilterValue | undefined): string {
  const { only, except } = toFilterChoice(filter);
  const join = (values: readonly string[]): string => values.map((value) => value || 'none').join(' or ');
  return [
    ...(only.length > 0 ? [`${name} ${join(only)}`] : []),
    ...(except.length > 0 ? [`${only.length > 0 ? '' : `${name} `}not ${join(except)}`] : []),
  ].join(', ');
}
