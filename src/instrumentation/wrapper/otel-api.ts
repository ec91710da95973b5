// `@opentelemetry/api` is an optional peer, so it is loaded, not imported: an import of what is not installed would end
// the host. `require` and `import` reach the same file of it, and its globals are registered symbols, so there is one.

import { join } from 'node:path';
import type * as OtelApi from '@opentelemetry/api';

let loadedApi: typeof OtelApi | 'missing' | undefined;

/** The API the host has, loaded when first asked for; undefined where it has none. */
export function loadOtelApi(): typeof OtelApi | undefined {
  if (loadedApi === undefined) {
    loadedApi = requireBundled() ?? requireInstalled() ?? 'missing';
  }
  return loadedApi === 'missing' ? undefined : loadedApi;
}

/** In CommonJS, and for a bundler, which puts the package in its bundle where it finds this call; elsewhere there is no `require`. */
function requireBundled(): typeof OtelApi | undefined {
  try {
    // What the package exports is what its own types say.
    return require('@opentelemetry/api') as typeof OtelApi;
  } catch {
    return undefined; // not CommonJS, or not installed
  }
}

function requireInstalled(): typeof OtelApi | undefined {
  try {
    // What the package exports is what its own types say.
    return createPackageRequire()('@opentelemetry/api') as typeof OtelApi;
  } catch {
    return undefined; // not installed: a host without tracing
  }
}

/** A `require` that resolves from this package. A bundle of CommonJS has no address of its own: then from the program that runs. */
export function createPackageRequire(): NodeJS.Require {
  const { createRequire } = process.getBuiltinModule('node:module');
  const moduleUrl: unknown = import.meta.url;
  return createRequire(
    typeof moduleUrl === 'string' ? moduleUrl : (process.argv[1] ?? join(process.cwd(), 'main.js')),
  );
}
