// Finds the SDK's server classes as their modules are loaded, whichever package brings its own copy of the SDK: a line at the end of
// such a module passes its classes on. Node has one interface for this since 22.15; before, ES modules and CommonJS need one each.

import { observeClass, SERVER_CLASSES } from './server-classes.ts';

/** The global that the added line calls: a module has no other way to reach this one. */
const RECEIVER_KEY = 'toolscope.auto';
const RECEIVER = Symbol.for(RECEIVER_KEY);

const SDK_MODULE = /@modelcontextprotocol[\\/](?:sdk|server)[\\/]dist[\\/].*\.[cm]?js$/;

/** E.g. `export class Server extends Protocol {` and `var Server = class extends Protocol {`. */
const DECLARATION = new RegExp(
  `^(?:export )?(?:class|var|let|const) (${SERVER_CLASSES.join('|')})(?= = class| extends| \\{)`,
  'gm',
);

/**
 * Installs the hooks, once per process.
 * @returns false when another copy of this module has installed them
 */
export function installSourceHooks(): boolean {
  if (Reflect.has(globalThis, RECEIVER)) return false;
  Object.defineProperty(globalThis, RECEIVER, { value: observeClass });
  // With a hook, Deno 2 loads JSON as a script; there, `observeLinkedSdks` alone finds the SDKs.
  if (Reflect.has(globalThis, 'Deno')) return true;
  const { Module, register, registerHooks } = loadModuleModule();
  if (registerHooks !== undefined) registerHooks({ load: loadWithLine });
  else {
    register?.(toDataUrl(HOOKS_THREAD_SOURCE));
    extendCompile(Module.prototype);
  }
  return true;
}

/** The source of an SDK's module with a line that passes its server classes on; undefined for all other modules. */
export function addReceiverLine(file: string, source: string): string | undefined {
  if (!SDK_MODULE.test(file)) return undefined;
  const names = [...source.matchAll(DECLARATION)].map(([, name]) => name);
  if (names.length === 0) return undefined;
  return `${source}\n${names.map((name) => `globalThis[Symbol.for('${RECEIVER_KEY}')]?.(${name});`).join('')}\n`;
}

interface LoadResult {
  readonly source?: unknown;
  readonly format?: string;
}

type NextLoad = (url: string, context: unknown) => LoadResult;

interface ModuleModule {
  readonly Module: { readonly prototype: object };
  readonly register?: (specifier: string) => void;
  readonly registerHooks?: (hooks: {
    load: (url: string, context: unknown, next: NextLoad) => LoadResult;
  }) => void;
}

/** Other runtimes lack some of it, and Node 20 has no `registerHooks`. */
function loadModuleModule(): ModuleModule {
  return process.getBuiltinModule('node:module') as unknown as ModuleModule;
}

function loadWithLine(url: string, context: unknown, next: NextLoad): LoadResult {
  const loaded = next(url, context);
  const text = toText(loaded.source);
  const source = text === undefined ? undefined : addReceiverLine(url, text);
  return source === undefined ? loaded : { ...loaded, source };
}

function toText(source: unknown): string | undefined {
  if (typeof source === 'string') return source;
  return source instanceof Uint8Array ? Buffer.from(source).toString() : undefined;
}

/** CommonJS before Node 22.15: `_compile` gets the source of every module. */
function extendCompile(prototype: object): void {
  const original: unknown = Reflect.get(prototype, '_compile');
  if (typeof original !== 'function') return;
  Reflect.set(prototype, '_compile', function compile(this: unknown, ...parameters: unknown[]) {
    const [source, file, ...rest] = parameters;
    const changed =
      typeof source === 'string' && typeof file === 'string' ? addReceiverLine(file, source) : undefined;
    return Reflect.apply(original, this, changed === undefined ? parameters : [changed, file, ...rest]);
  });
}

/** ES modules before Node 22.15: hooks run on a thread of their own, which loads them from a URL. */
const HOOKS_THREAD_SOURCE = `
const SDK_MODULE = ${SDK_MODULE};
const DECLARATION = ${DECLARATION};
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== 'module' || loaded.source == null || !SDK_MODULE.test(url)) return loaded;
  const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
  const names = [...source.matchAll(DECLARATION)].map(([, name]) => name);
  const calls = names.map((name) => \`globalThis[Symbol.for('${RECEIVER_KEY}')]?.(\${name});\`);
  return calls.length === 0 ? loaded : { ...loaded, source: \`\${source}\\n\${calls.join('')}\\n\` };
}`;

const toDataUrl = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
