// Our settings hold a token, a key and a password; a program that we start for somebody else is not given them.

/** A copy of an environment without the variables that are ours. */
export function withoutToolscopeVariables(
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !/^TOOLSCOPE_/i.test(name)));
}
