// Builds the package `@toolscope/observe` to dist/packages/observe from the source of `toolscope`: the wrapper alone, as an ES module and
// as CommonJS, without dependencies. tsc must have run before, since its declarations are copied.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { packageFiles } from './package-files.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Names stay: a host sees them in a stack trace, and white space is what takes space. */
const WITHOUT_WHITE_SPACE = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const;

const outputOf = (format: 'es' | 'cjs', extension: string) => ({
  format,
  entryFileNames: `[name].${extension}`,
  chunkFileNames: `[name].${extension}`,
  minify: WITHOUT_WHITE_SPACE,
  // A bundler of the host includes @opentelemetry/api because of the plain `require`, which would not be recognised in a helper.
  polyfillRequire: false,
});

export default defineConfig({
  root: ROOT,
  publicDir: false,
  plugins: [packageFiles(ROOT)],
  build: {
    outDir: 'dist/packages/observe',
    emptyOutDir: true,
    target: 'node20.19',
    reportCompressedSize: false,
    ssr: true,
    rolldownOptions: {
      input: {
        index: 'src/index.ts',
        'auto-require': 'src/auto-require.ts',
        'linked-modules': 'src/instrumentation/auto/linked-modules.ts',
      },
      external: [/^node:/, '@opentelemetry/api'],
      output: [outputOf('es', 'mjs'), outputOf('cjs', 'js')],
    },
  },
});
