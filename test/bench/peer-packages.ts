// The other products that the host part compares with, fetched when it runs and never a dependency.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = ['@sentry/node@11.11.0', '@posthog/mcp@0.16.3', 'posthog-node@5.70.0'] as const;

/** Installs them once into a temporary directory. @returns the directory, or why there is none */
export function installPeerPackages(): { readonly directory: string } | { readonly problem: string } {
  const directory = join(tmpdir(), `toolscope-bench-peers-${PACKAGES.join('-').replace(/[^\w.]+/g, '-')}`);
  if (existsSync(join(directory, 'installed'))) return { directory };
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"private":true,"type":"module"}');
  try {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
    execFileSync('npm', ['install', ...options, ...PACKAGES], { cwd: directory, stdio: 'ignore' });
    writeFileSync(join(directory, 'done'), '');
    renameSync(join(directory, 'done'), join(directory, 'installed'));
    return { directory };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
