// Processes that share a directory with this one and little else: another PID namespace, as a second container on the same
// volume has, and another user. Needs root and util-linux; where those are missing a test fails, because it says nothing then.

/** A user, and a group, that nobody logs in as. */
export const OTHER_USER = 65_534;

const AS_OTHER_USER = [
  'setpriv',
  `--reuid=${OTHER_USER}`,
  `--regid=${OTHER_USER}`,
  '--clear-groups',
] as const;

/** What is put before a command so that it runs elsewhere. */
export const ISOLATIONS = {
  'this PID namespace': [],
  'another PID namespace': ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'],
  'another network namespace': ['unshare', '--net'],
  // Who reads this checkout, wherever it lies, and writes only what is theirs.
  'another user': [...AS_OTHER_USER, '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'],
} as const;

export type Isolation = keyof typeof ISOLATIONS;

/** The words of a command that runs a program of Node in a place. */
export function isolatedCommand(
  place: Isolation,
  args: readonly string[],
): { readonly file: string; readonly args: string[] } {
  const [file = '', ...rest] = [...ISOLATIONS[place], process.execPath, ...args];
  return { file, args: rest };
}
