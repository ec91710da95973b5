// What `import 'toolscope'` costs a host: the built graph, walked, and the time it takes in a process of its own.
// Needs `dist`, which `npm test` builds first.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ENTRY = fileURLToPath(new URL('../../../dist/index.js', import.meta.url));

const IMPORT =
  /(?:^|[\s;])(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\s;])import\s*\(?\s*['"]([^'"]+)['"]/g;

/** Files of ours that are reached from the entry, and every package and builtin they name. */
function listImports(entry: string): {
  readonly files: readonly string[];
  readonly names: ReadonlySet<string>;
} {
  const files = [entry];
  const names = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    for (const [, from, bare] of text.matchAll(IMPORT)) {
      const specifier = from ?? bare ?? '';
      if (!specifier.startsWith('.')) names.add(specifier);
      else {
        const target = resolve(dirname(file), specifier);
        if (!files.includes(target)) files.push(target);
      }
    }
  }
  return { files, names };
}

// Requirement: host.load-time
describe('loading of toolscope', () => {
  test('the imports reach one small package and Node only', () => {
    const { files, names } = listImports(ENTRY);
    expect(files.every((file) => existsSync(file))).toBe(true);
    expect(files.length).toBeGreaterThan(30);
    expect([...names].filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(files.filter((file) => /\/dist\/(service|cli|contract|demo|dashboard)\//.test(file))).toEqual([]);
  });

  test('an imported package is noticed', () => {
    const { names } = listImports(fileURLToPath(new URL('../../../dist/otel.js', import.meta.url)));
    expect(names).toContain('@opentelemetry/sdk-node');
  });

  test('toolscope loads in less than 60 ms where Node itself takes 40', () => {
    // Of the processor's time, against Node's own start in the same process: a busy machine slows both.
    const program = `
      const start = process.cpuUsage();
      await import(${JSON.stringify(ENTRY)});
      const { user, system } = process.cpuUsage(start);
      console.log((user + system) / (start.user + start.system));`;
    const ratio = () =>
      Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
    expect(Math.min(...Array.from({ length: 4 }, ratio))).toBeLessThan(60 / 40);
  });
});
