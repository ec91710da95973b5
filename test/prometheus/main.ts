// Alerts against a real Alertmanager, and the notation of rule tests against a real promtool. Takes the programs from the
// PATH or from Debian's packages, so it is a command of its own: `npm run prometheus`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkAlertmanager } from './check-alertmanager.ts';
import { checkNotation } from './check-notation.ts';
import { findPrograms } from './find-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolscope-prometheus-'));
try {
  const { alertmanager, promtool } = await findPrograms(folder);
  await checkNotation(folder, promtool, print);
  await checkAlertmanager(folder, alertmanager, print);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function print(what: string, problem: string | undefined): void {
  if (problem !== undefined) process.exitCode = 1;
  process.stdout.write(`${what}: ${problem === undefined ? 'holds' : `FAILS: ${problem}`}\n`);
}
