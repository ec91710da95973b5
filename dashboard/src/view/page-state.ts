// The state of a page in the URL, besides the view. A page lists its parameters once; writing them, reading them
// and their type follow from the list.

import {
  EXCLUSION_PREFIX,
  type FilterValue,
  toFilterParameters,
  toFilterValue,
} from '../../../src/contract/filter-value.ts';

/** The values that a parameter may have: any text but the empty one, any text, or one of the choices. */
type ParameterValues = 'text' | 'empty or text' | readonly string[];

/** A parameter that may be repeated, and excludes a value if its name begins with `-`. */
interface FilterParameter {
  readonly several: ParameterValues;
}

export type PageParameters = Readonly<Record<string, ParameterValues | FilterParameter>>;

/** The values of parameters by name; an absent one has its default. */
export type PageValues = Readonly<Record<string, FilterValue | undefined>>;

/** Parameters with their default value are absent. */
export type PageState<P extends PageParameters> = {
  readonly [Name in keyof P]?:
    | (P[Name] extends FilterParameter
        ? FilterValue
        : P[Name] extends readonly (infer Choice)[]
          ? Choice
          : string)
    | undefined;
};

/** The parameters that are set, in the order of the list. */
export function writePageState(parameters: PageParameters, state: PageValues): [string, string][] {
  return Object.entries(parameters).flatMap(([name, values]): [string, string][] => {
    const isWritten = ([, value]: readonly [string, string]): boolean => isAllowed(values, value);
    return toFilterParameters(name, state[name]).filter(isWritten);
  });
}

/** Values that are not allowed count as absent; the service validates text. */
export function readPageState<P extends PageParameters>(parameters: P, search: string): PageState<P> {
  const query = new URLSearchParams(search);
  const known = Object.entries(parameters).flatMap(([name, values]) => {
    const list = (parameter: string) => query.getAll(parameter).filter((value) => isAllowed(values, value));
    const value =
      typeof values === 'object' && 'several' in values
        ? toFilterValue({ only: list(name), except: list(EXCLUSION_PREFIX + name) })
        : list(name)[0];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(known) as PageState<P>; // `isAllowed` has checked every value
}

function isAllowed(values: ParameterValues | FilterParameter, value: string): boolean {
  if (typeof values === 'object' && 'several' in values) return isAllowed(values.several, value);
  if (values === 'empty or text') return true;
  return values === 'text' ? value !== '' : values.includes(value);
}
