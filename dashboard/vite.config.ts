// Builds the dashboard to dist/dashboard, where the service serves it. Nothing is inlined: the service's
// Content-Security-Policy is `default-src 'self'`, so fonts and icons must be files and no script may be in the page.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const FONT_PACKAGE = /node_modules\/((?:@[^/]+\/)?[^/]+)\/.*\.woff2$/;

/** The licences of the fonts, whole, as the SIL Open Font License asks for; Vite knows of scripts alone. */
function fontLicences(): Plugin {
  return {
    name: 'font-licences',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).flatMap((file) =>
        file.type === 'asset' ? file.originalFileNames : [],
      );
      const packages = new Set(files.flatMap((file) => FONT_PACKAGE.exec(file)?.[1] ?? []));
      const texts = [...packages]
        .toSorted()
        .map((name) => `# ${name}\n\n${readFileSync(licenceOf(name), 'utf8').trim()}\n`);
      this.emitFile({ type: 'asset', fileName: 'FONT-LICENSES.md', source: texts.join('\n') });
    },
  };
}

const licenceOf = (name: string): URL => new URL(`../node_modules/${name}/LICENSE`, import.meta.url);

/** What a chunk group is told of the modules; Vite does not export the type. */
interface ModuleGraph {
  getModuleInfo(id: string): { readonly isEntry: boolean; readonly importers: readonly string[] } | null;
}

/**
 * Whether the first page loads the module, so that all of these can be one file: as two dozen they are 5 kB more when
 * compressed. Asks for static importers up to the entry.
 */
function createEagerTest(): (id: string, graph: ModuleGraph) => boolean {
  const known = new Map<string, boolean>();
  return function isEager(id, graph): boolean {
    const before = known.get(id);
    if (before !== undefined) return before;
    const module = graph.getModuleInfo(id);
    known.set(id, module?.isEntry ?? false);
    const found: boolean =
      module?.isEntry === true || (module?.importers ?? []).some((one) => isEager(one, graph));
    known.set(id, found);
    return found;
  };
}

const isEager = createEagerTest();

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [react(), fontLicences()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { debugName: 'first-page', name: (id, graph) => (isEager(id, graph) ? 'first-page' : null) },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4318', '/v1': 'http://127.0.0.1:4318' } },
});
