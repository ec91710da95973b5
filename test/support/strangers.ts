// Processes that share a directory with this one and little else: another PID namespace, as a second container on the same
// volume has, and another user. Needs root and util-linux; where those are missing a test fails, because it says nothing then.

/** What is put before a command so that it runs elsewhere. */
export const PLACES = {
  'this PID namespace': [],
  'another PID namespace': ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'],
  'another network namespace': ['unshare', '--net'],
  'another user': ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
} as const;

export type Place = keyof typeof PLACES;

/** The words of a command that runs a program of Node in a place. */
export function commandAt(
  place: Place,
  args: readonly string[],
): { readonly file: string; readonly args: string[] } {
  const [file = '', ...rest] = [...PLACES[place], process.execPath, ...args];
  return { file, args: rest };
}
