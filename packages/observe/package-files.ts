// What the package has beside its code: manifest, licence, README, and of the declarations in dist those that its entries reach.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { z } from 'zod';

const RootManifest = z.object({
  version: z.string(),
  license: z.string(),
  engines: z.object({ node: z.string() }),
});

/** A relative specifier of an import, an export or an `import()` type. */
const RELATIVE_SPECIFIER = /(?<=(?:from |import\()')\.{1,2}\/[^']+(?=')/g;

/** `auto`: an ES module waits for what `require` cannot wait for, so the bundler, which writes both, cannot write it. */
const AUTO_FILES: Readonly<Record<string, string>> = {
  'auto.mjs':
    "import './auto-require.mjs';\nimport { observeLinkedSdks } from './linked-modules.mjs';\nawait observeLinkedSdks();\n",
  'auto.js': "require('./auto-require.js');\n",
  'auto.d.ts': 'export {};\n',
  'auto.d.mts': 'export {};\n',
};

/**
 * Writes the files of a package that the bundler does not, after its code.
 * @param root the project's directory, where tsc has written its declarations to dist
 */
export function packageFiles(root: string): Plugin {
  const folder = join(root, 'dist/packages/observe');
  return {
    name: 'package-files',
    closeBundle() {
      mkdirSync(folder, { recursive: true });
      writeDeclarations(root, folder);
      for (const [name, text] of Object.entries(AUTO_FILES)) writeFileSync(join(folder, name), text);
      cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
      cpSync(join(root, 'packages/observe/README.md'), join(folder, 'README.md'));
      writeFileSync(join(folder, 'package.json'), `${JSON.stringify(toManifest(root), null, 2)}\n`);
    },
  };
}

/** `.js` and `.d.ts` are CommonJS, which old resolvers expect; `.mjs` and `.d.mts` are the ES modules. */
function toManifest(root: string): object {
  const { version, license, engines } = RootManifest.parse(
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
  );
  return {
    name: '@toolscope/observe',
    version,
    description: 'Observe an MCP server: its calls, errors and latency go to Toolscope.',
    license,
    engines,
    type: 'commonjs',
    sideEffects: ['./auto*.js', './auto*.mjs'],
    main: './index.js',
    module: './index.mjs',
    types: './index.d.ts',
    exports: {
      '.': toConditions('index'),
      './auto': toConditions('auto'),
      './package.json': './package.json',
    },
    peerDependencies: { '@opentelemetry/api': '*' },
    peerDependenciesMeta: { '@opentelemetry/api': { optional: true } },
  };
}

const toConditions = (entry: string) => ({
  import: { types: `./${entry}.d.mts`, default: `./${entry}.mjs` },
  require: { types: `./${entry}.d.ts`, default: `./${entry}.js` },
});

function writeDeclarations(root: string, folder: string): void {
  const dist = join(root, 'dist');
  for (const file of findDeclarations(join(dist, 'index.d.ts'))) {
    const target = join(folder, 'types', relative(dist, file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(
      target,
      readFileSync(file, 'utf8').replaceAll(RELATIVE_SPECIFIER, (name) => name.replace(/\.ts$/, '.js')),
    );
  }
  for (const extension of ['d.ts', 'd.mts'])
    writeFileSync(join(folder, `index.${extension}`), "export * from './types/index.js';\n");
}

/** A declaration file and all that it imports. */
function findDeclarations(entry: string, found = new Set<string>()): ReadonlySet<string> {
  if (!existsSync(entry)) throw new Error(`${entry} is missing: run tsc first`);
  if (found.has(entry)) return found;
  found.add(entry);
  for (const [specifier] of readFileSync(entry, 'utf8').matchAll(RELATIVE_SPECIFIER))
    findDeclarations(resolve(dirname(entry), specifier.replace(/\.[jt]s$/, '.d.ts')), found);
  return found;
}
