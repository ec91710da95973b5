// Whether the packed package can be installed beside others: npm resolves it next to each of a list, and installs nothing. It asks
// a registry, so it is a command of its own: `npm run installs`.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TIMEOUT_MS = 180_000;
const OTHER_PACKAGES = [
  ...['@opentelemetry/sdk-node@latest', '@opentelemetry/sdk-node@0.218', '@opentelemetry/sdk-node@0.205'],
  ...['@mastra/core@0.24', '@mastra/mcp@0.14', '@shinzolabs/instrumentation-mcp', 'genkit', 'ai@4'],
];

const folder = mkdtempSync(join(tmpdir(), 'toolscope-installs-'));
try {
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: resolve(import.meta.dirname, '..'),
  });
  const [packed = ''] = readdirSync(folder);
  for (const beside of OTHER_PACKAGES)
    process.stdout.write(`${beside}: ${await tryInstall(beside, packed)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function tryInstall(other: string, packed: string): Promise<string> {
  const cwd = join(folder, other.replaceAll(/[/@]/g, '-'));
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{"name":"host","version":"1.0.0","private":true}');
  const resolveOnly = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];
  const options = { cwd, timeout: TIMEOUT_MS };
  try {
    await run('npm', [...resolveOnly, other], options);
    await run('npm', [...resolveOnly, join(folder, packed)], options);
    return 'resolves';
  } catch (error) {
    process.exitCode = 1;
    return `FAILS: ${error instanceof Error ? error.message : String(error)}`;
  }
}
