// Secrets glued to whatever stands beside them, and definitions that are hostile in every field. The short forms are tests of
// redaction and of the command line; here are the thousands of combinations that a suite has no time for.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { redactText } from '../../src/core/values/redact-text.ts';
import { runInProcess } from '../cli/run-program.ts';
import { SECRETS, type SecretCase } from '../core/values/secret-table.ts';
import { findHostile, HOSTILE } from '../support/hostile-text.ts';
import type { Attack, AttackReport, AttackSize } from './attack.ts';

const RUNS_PER_SECRET = 3_000;
const LISTINGS: Readonly<Record<AttackSize, number>> = { short: 15, full: 300 };
const MAX_REPORTED = 20;

/** Anything but a digit, which would make a longer number of a card, and a blank, which ends a flag. */
const GLUE = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...'xZn_-"\'`[](){}<>:;,|=&?#%@\\/.!~^*+$',
      '%3D',
      '%22',
      '\\n',
      '\\"',
      '\\u0026',
      'é',
      '日',
    ),
  ),
  maxLength: 6,
});

/** A flag begins a word, and a card or an address is one as long as nothing of its own kind is glued to it. */
const IS_PART: Readonly<Record<string, RegExp>> = {
  'command line': /[\w\-.%[\]]$|[xZné日]$/,
};

async function attackGluedSecrets(): Promise<AttackReport> {
  const broken: string[] = [];
  for (const secret of SECRETS) {
    const found = fc.check(
      fc.property(GLUE, GLUE, (before, behind) => isRedacted(secret, { before, behind })),
      { numRuns: RUNS_PER_SECRET },
    );
    if (found.failed) broken.push(`${secret.name} is seen in ${JSON.stringify(found.counterexample)}`);
    // The event loop's turn: an attack can be ended.
    await new Promise(setImmediate);
  }
  return { broken, figures: { secrets: SECRETS.length, texts: SECRETS.length * RUNS_PER_SECRET } };
}

interface Surroundings {
  readonly before: string;
  readonly behind: string;
}

function isRedacted({ name, bare, needle }: SecretCase, { before, behind }: Surroundings): boolean {
  if (IS_PART[name]?.test(before)) return true;
  return !redactText(`${before}${bare}${behind}`).includes(needle);
}

const ANY_TEXT = fc
  .array(fc.constantFrom(...HOSTILE, HOSTILE, '\n::error::x', '##[error]', '\n  FORGED', 'word '), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''));
const ANY_TOOL = fc.record({
  name: ANY_TEXT,
  description: ANY_TEXT,
  inputSchema: fc
    .dictionary(ANY_TEXT, fc.record({ type: fc.constantFrom('string', 'integer'), description: ANY_TEXT }))
    .map((properties) => ({ type: 'object', properties, required: Object.keys(properties).slice(0, 2) })),
});

async function attackWithHostileTools(size: AttackSize): Promise<AttackReport> {
  const count = LISTINGS[size];
  const folder = mkdtempSync(join(tmpdir(), 'toolscope-attack-hostile-'));
  const broken: string[] = [];
  const write = (name: string, content: object): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  try {
    const listings = fc.sample(fc.array(ANY_TOOL, { minLength: 1, maxLength: 4 }), count);
    let before = write('first.json', {
      format: 'toolscope-baseline/1',
      server: { name: '', version: '' },
      tools: [],
    });
    for (const tools of listings) {
      const file = write('tools.json', { tools });
      for (const args of [
        ['lint', '--file', file],
        ['lint', '--format', 'sarif', '--file', file],
        ['check', '--baseline', before, '--file', file],
      ]) {
        const { stdout, stderr } = await runInProcess(args);
        const found = findHostile(`${stdout}\n${stderr}`);
        if (found.length > 0) broken.push(`${args[0]} lets through ${found.join(', ')}`);
      }
      const server = { name: HOSTILE, version: HOSTILE };
      before = write('before.json', { format: 'toolscope-baseline/1', server, tools });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { broken: broken.slice(0, MAX_REPORTED), figures: { listings: count, outputs: count * 3 } };
}

export const attacks: readonly Attack[] = [
  { title: 'a secret is seen whatever is glued to it', sizes: ['full'], run: attackGluedSecrets },
  {
    title: 'hostile definitions take no effect in a terminal or a build',
    run: attackWithHostileTools,
  },
];
