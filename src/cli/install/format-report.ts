// What `install` reports of a configuration, as data and as text.

import { joinLines } from '../output.ts';
import type { FoundConfig } from './find-configs.ts';
import { listEntries } from './server-entries.ts';
import { formatDiff } from './text-edit.ts';
import { type EntryState, stateOf } from './wrap-entries.ts';

export interface ConfigReport {
  readonly client: string;
  readonly path: string;
  readonly servers: readonly { readonly name: string; readonly state: EntryState }[];
  /** Why the file cannot be read; '' when it can. */
  readonly problem: string;
  readonly isChanged: boolean;
  readonly isDryRun: boolean;
  /** Path of the backup, or ''. */
  readonly backup: string;
  readonly diff: readonly string[];
}

interface MadeChange {
  readonly after: string;
  readonly isDryRun: boolean;
  readonly backup?: string | undefined;
}

/** @param change undefined where the configuration is only listed */
export function toReport(config: FoundConfig, change: MadeChange | undefined): ConfigReport {
  const { client, path, text, problem = '' } = config;
  const after = change?.after ?? text;
  const entries = after === text ? config.entries : listEntries(client.parse(after), client.containers);
  return {
    client: client.id,
    path,
    servers: entries.map((entry) => ({ name: entry.name, state: stateOf(entry) })),
    problem,
    isChanged: after !== text && change?.isDryRun === false,
    isDryRun: change?.isDryRun ?? false,
    backup: change?.backup ?? '',
    diff: after === text ? [] : formatDiff(text, after),
  };
}

export function formatReports(reports: readonly ConfigReport[]): string {
  if (reports.length === 0) return 'No configuration of an MCP client was found.\n';
  return joinLines(reports.flatMap(formatReport));
}

const STATE_TEXT: Readonly<Record<EntryState, string>> = {
  plain: 'not wrapped',
  wrapped: 'wrapped',
  own: 'wrapped by hand',
  url: 'no command to wrap; for a URL use toolscope wrap --url',
};

function formatReport({
  client,
  path,
  servers,
  problem,
  isChanged,
  isDryRun,
  backup,
  diff,
}: ConfigReport): string[] {
  return [
    `${client}  ${path}`,
    ...(problem === '' ? [] : [`  cannot be read: ${problem}`]),
    ...servers.map(({ name, state }) => `  ${name.padEnd(22)} ${STATE_TEXT[state]}`),
    ...diff.map((line) => `  ${line}`),
    ...(diff.length > 0 && isDryRun ? ['  Nothing was written.'] : []),
    ...(diff.length === 0 && servers.length > 0 && problem === '' && isDryRun
      ? ['  Nothing to change.']
      : []),
    ...(isChanged ? ['  Written. Restart the client to use it.'] : []),
    ...(backup === '' ? [] : [`  Backup: ${backup}`]),
  ];
}
