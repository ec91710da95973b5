// What `import 'toolscope'` loads: the built files, followed. How long it takes is measured by `npm run bench`.
// Needs `dist`, which `npm test` builds first.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ENTRY = fileURLToPath(new URL('../../../dist/index.js', import.meta.url));

/** As the bundler writes them, too: without white space. */
const IMPORT =
  /(?:^|[\s;}])(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\s;}])import\s*\(?\s*['"]([^'"]+)['"]/g;

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
  test('the imports reach a few files of ours and Node only', () => {
    const { files, names } = listImports(ENTRY);
    expect(files.every((file) => existsSync(file))).toBe(true);
    expect(names).toContain('node:crypto');
    expect([...names].filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(24);
    expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(700_000);
  });

  test('an imported package is noticed', () => {
    const { names } = listImports(fileURLToPath(new URL('../../../dist/otel.js', import.meta.url)));
    expect(names).toContain('@opentelemetry/sdk-node');
  });
});
