// Builds the dashboard to dist/dashboard, where the service serves it. Nothing is inlined: the service's
// Content-Security-Policy is `default-src 'self'`, so fonts and icons must be files and no script may be in the page.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4318', '/v1': 'http://127.0.0.1:4318' } },
});
