// What `toolscope lint --format sarif` prints, held against the schema that code scanning holds it against. The schema is of an
// older draft than the validator's: its two keywords that changed since (`id`, `$schema`) are at its top alone, and are left out; one of its patterns
// is none under Unicode rules.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-program.ts';

const require = createRequire(import.meta.url);
const path = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const { $schema, id, ...schema } = JSON.parse(readFileSync(path, 'utf8'));
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats.default(ajv);
const isSarif = ajv.compile(schema);

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'toolscope-sarif-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function sarifOf(args: readonly string[]) {
  const { stdout, stderr } = await runInProcess(['lint', '--format', 'sarif', ...args]);
  expect(stderr).toMatch(/^toolscope lint: /);
  return JSON.parse(stdout);
}

/** What the schema says against a log; nothing where it is valid. */
function validationErrors(log: unknown): string[] {
  return isSarif(log)
    ? []
    : (isSarif.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function writeOddlyNamedFile(): string {
  const folderWithSpace = join(folder, 'Über uns');
  mkdirSync(folderWithSpace, { recursive: true });
  const file = join(folderWithSpace, 'tools #1 100%.json');
  const tools = Array.from({ length: 16 }, (_, at) => ({
    name: `get_"thing"_${at}`,
    description: `Gets ${at} 🎉`,
    inputSchema: { type: 'object' },
  }));
  writeFileSync(file, JSON.stringify({ tools }));
  return file;
}

describe('lint results as SARIF', () => {
  test.each<[source: string, args: readonly string[], results: number, because: string]>([
    ['a good tool', ['--file', fixture('tools/search-orders.good.json')], 0, 'no finding is no result'],
    [
      'a bad tool',
      ['--file', fixture('tools/TD028-read-only-delete.bad.json')],
      1,
      'a finding of a tool has a line',
    ],
    [
      'a bad argument',
      ['--file', fixture('tools/TD008-enum-only-in-description.bad.json')],
      1,
      'a finding may be of an argument',
    ],
    [
      'a server',
      ['--', process.execPath, fixture('servers/paged-tools.mjs')],
      2,
      'a server that runs has no lines, only names',
    ],
    [
      'an odd file',
      ['--file', writeOddlyNamedFile()],
      18,
      'paths and names may hold anything, and some findings are of no one tool',
    ],
  ])('the SARIF log of %s is valid with %i results because %s', async (_, args, results) => {
    const log = await sarifOf(args);
    expect(validationErrors(log)).toEqual([]);
    expect(log.runs[0].results).toHaveLength(results);
  });

  test('the SARIF schema refuses an invalid log', async () => {
    const log = await sarifOf(['--file', fixture('tools/TD028-read-only-delete.bad.json')]);
    const [run] = log.runs;
    const [result] = run.results;
    const spoilt = [
      { ...log, version: '2.0.0' },
      { ...log, runs: [{ ...run, results: [{ ...result, level: 'fatal' }] }] },
      { ...log, runs: [{ ...run, results: [{ ...result, message: {} }] }] },
      { ...log, runs: [{ ...run, results: [{ ...result, ruleIndex: -2 }] }] },
      { ...log, runs: [{ ...run, tool: {} }] },
    ];
    for (const one of spoilt) expect(validationErrors(one)).not.toEqual([]);
  });

  test('each SARIF result names an existing rule and an existing line', async () => {
    const file = writeOddlyNamedFile();
    const log = await sarifOf(['--file', file]);
    const [run] = log.runs;
    for (const { ruleId, ruleIndex, locations } of run.results) {
      expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
      const { artifactLocation, region } = locations[0].physicalLocation;
      expect(fileURLToPath(artifactLocation.uri)).toBe(file);
      expect(region.startLine).toBe(1);
    }
  });
});
