// Opens a URL in the user's browser. Failure is ignored, because the URL was also printed.

import { spawn } from 'node:child_process';
import { withoutToolscopeVariables } from '../child-environment.ts';

const OPEN_COMMANDS: Partial<Readonly<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

export function openBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = OPEN_COMMANDS[process.platform] ?? [];
  // biome-ignore lint/style/noProcessEnv: the browser inherits the environment without our variables
  const others = withoutToolscopeVariables(process.env);
  const env = { ...others, CLICKHOUSE_URL: undefined, CLICKHOUSE_PASSWORD: undefined };
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore', env });
  child.on('error', () => undefined);
  child.unref();
}
