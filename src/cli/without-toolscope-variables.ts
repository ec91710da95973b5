// Removes our settings from an environment: they contain a token, a key and a password, which third-party
// programs must not get.

/** Returns a copy of an environment without our variables. */
export function withoutToolscopeVariables(
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !/^TOOLSCOPE_/i.test(name)));
}
