// Programs that tests start often, from source but built once a test file: through a loader each start takes a second of a
// processor more.
import { mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/', import.meta.url));

export interface BuiltPrograms {
  /** What to start in place of a program's source. */
  readonly pathOf: (source: string) => string;
  remove(): void;
}

/** Builds programs, each with all it imports of ours; packages stay where they are. */
export async function buildPrograms(sources: readonly string[]): Promise<BuiltPrograms> {
  // Not loaded by a program that is only built with this.
  const { build } = await import('vite');
  // Below the packages, so that they are found from there.
  const directory = mkdtempSync(join(CACHE, '.toolscope-programs-'));
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: true,
      outDir: directory,
      minify: false,
      rollupOptions: { input: [...sources], output: { entryFileNames: '[name].mjs' } },
    },
  });
  return {
    pathOf: (source) => join(directory, `${basename(source, '.ts')}.mjs`),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
