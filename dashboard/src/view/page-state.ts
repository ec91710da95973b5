// The state of a page in the URL, besides the view. A page lists its parameters once; writing them, reading them
// and their type follow from the list.

/** The values that a parameter may have: any text but the empty one, any text, or one of the choices. */
type ParameterValues = 'text' | 'empty or text' | readonly string[];

export type PageParameters = Readonly<Record<string, ParameterValues>>;

/** The values of parameters by name; an absent one has its default. */
export type PageValues = Readonly<Record<string, string | undefined>>;

/** Parameters with their default value are absent. */
export type PageState<P extends PageParameters> = {
  readonly [Name in keyof P]?: (P[Name] extends readonly (infer Choice)[] ? Choice : string) | undefined;
};

/** The parameters that are set, in the order of the list. */
export function writePageState(parameters: PageParameters, state: PageValues): [string, string][] {
  return Object.entries(parameters).flatMap(([name, values]): [string, string][] => {
    const value = state[name];
    return value !== undefined && isAllowed(values, value) ? [[name, value]] : [];
  });
}

/** Values that are not allowed count as absent; the service validates text. */
export function readPageState<P extends PageParameters>(parameters: P, search: string): PageState<P> {
  const query = new URLSearchParams(search);
  const known = Object.entries(parameters).flatMap(([name, values]) => {
    const value = query.get(name);
    return value !== null && isAllowed(values, value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(known) as PageState<P>; // `isAllowed` has checked every value
}

function isAllowed(values: ParameterValues, value: string): boolean {
  if (values === 'empty or text') return true;
  return values === 'text' ? value !== '' : values.includes(value);
}
