// Bundles what of the package `toolscope` runs beside a server, to dist/bundle: `observe`, `auto`, and `wrap` with its workers. tsc must
// have run before, since the entries that it wrote are made to load the bundle.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { bundledEntries } from './bundled-entries.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export default defineConfig({
  root: ROOT,
  publicDir: false,
  plugins: [bundledEntries(`${ROOT}dist`)],
  build: {
    outDir: 'dist/bundle',
    emptyOutDir: true,
    target: 'node20.19',
    reportCompressedSize: false,
    minify: false,
    ssr: true,
    rolldownOptions: {
      input: {
        index: 'src/index.ts',
        auto: 'src/auto.ts',
        'auto-require': 'src/auto-require.ts',
        'wrap-process': 'src/cli/wrap-process.ts',
        // Found by their names beside the file that starts them.
        'observer-worker': 'src/instrumentation/proxy/observer-worker.ts',
        'http-worker': 'src/instrumentation/proxy/http/http-worker.ts',
      },
      external: [/^node:/, '@opentelemetry/api'],
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        polyfillRequire: false,
      },
    },
  },
});
