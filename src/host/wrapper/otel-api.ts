// `@opentelemetry/api` is an optional peer, so it is loaded, not imported: an import of what is not installed would end
// the host. `require` and `import` reach the same file of it, and its globals are registered symbols, so there is one.

import { createRequire } from 'node:module';
import type * as OtelApi from '@opentelemetry/api';

let loaded: typeof OtelApi | 'missing' | undefined;

/** The API the host has, loaded when first asked for; undefined where it has none. */
export function loadApi(): typeof OtelApi | undefined {
  if (loaded === undefined) {
    try {
      // What the package exports is what its own types say.
      loaded = createRequire(import.meta.url)('@opentelemetry/api') as typeof OtelApi;
    } catch {
      // Not installed: a host without tracing.
      loaded = 'missing';
    }
  }
  return loaded === 'missing' ? undefined : loaded;
}
