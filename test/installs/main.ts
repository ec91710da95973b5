// Whether the packed packages can be installed beside others, and loaded by what people load packages with. It asks a registry and
// takes minutes, so it is a command of its own: `npm run installs`, or with `beside` or `loaded` one half of it.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { resolveBeside } from './beside.ts';
import { loadEverywhere } from './loaded.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

const [only] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'toolscope-installs-'));
try {
  const observe = await pack(join(ROOT, 'dist/packages/observe'), 'observe');
  if (only !== 'beside') await loadEverywhere(folder, observe, print);
  if (only !== 'loaded') {
    const toolscope = await pack(ROOT, 'toolscope');
    await resolveBeside(folder, { toolscope, '@toolscope/observe': observe }, print);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function pack(from: string, name: string): Promise<string> {
  const to = join(folder, 'packed', name);
  mkdirSync(to, { recursive: true });
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', to], { cwd: from });
  const [file = ''] = readdirSync(to);
  return join(to, file);
}

function print(what: string, problem: string | undefined): void {
  if (problem !== undefined) process.exitCode = 1;
  process.stdout.write(`${what}: ${problem === undefined ? 'works' : `FAILS: ${problem}`}\n`);
}
