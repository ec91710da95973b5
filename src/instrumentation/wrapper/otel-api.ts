// Loads `@opentelemetry/api`, an optional peer dependency. `require` and `import` resolve to the same file,
// and its globals are registered symbols, so there is only one instance.

import { join } from 'node:path';
import type * as OtelApi from '@opentelemetry/api';

let loadedApi: typeof OtelApi | 'missing' | undefined;

/** Returns the host's API, loaded on first use; undefined when it has none. */
export function loadOtelApi(): typeof OtelApi | undefined {
  if (loadedApi === undefined) {
    loadedApi = requireBundled() ?? requireInstalled() ?? 'missing';
  }
  return loadedApi === 'missing' ? undefined : loadedApi;
}

/** For CommonJS and for bundlers, which include the package because of this call. */
function requireBundled(): typeof OtelApi | undefined {
  try {
    // The package's exports match its own types.
    return require('@opentelemetry/api') as typeof OtelApi;
  } catch {
    return undefined; // not CommonJS, or not installed
  }
}

function requireInstalled(): typeof OtelApi | undefined {
  try {
    // The package's exports match its own types.
    return createPackageRequire()('@opentelemetry/api') as typeof OtelApi;
  } catch {
    return undefined; // not installed, so the host has no tracing
  }
}

/** Resolves from this package; in a CommonJS bundle, which has no module URL, from the main program. */
export function createPackageRequire(): NodeJS.Require {
  const { createRequire } = process.getBuiltinModule('node:module');
  const moduleUrl: unknown = import.meta.url;
  return createRequire(
    typeof moduleUrl === 'string' ? moduleUrl : (process.argv[1] ?? join(process.cwd(), 'main.js')),
  );
}
