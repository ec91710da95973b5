// Loads the copies of the SDK that the program's packages use. When the program itself imports `auto`, its other imports are linked
// already, where no hook sees them. Importing them again gives the same modules, before the program runs.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fieldOf, isRecord } from '../../core/observer/json-rpc.ts';
import { readNodeOptions } from '../wrapper/environment.ts';
import { observeClass, SERVER_CLASSES } from './server-classes.ts';

/** The modules of both SDKs that export a server class. */
const SDK_MODULES = [
  '@modelcontextprotocol/sdk/server/index.js',
  '@modelcontextprotocol/sdk/server/mcp.js',
  '@modelcontextprotocol/server',
] as const;
const SDK_PACKAGE = /^@modelcontextprotocol\/(?:sdk|server)$/;

/** Observes the server classes that the program can have imported. Never rejects. */
export async function observeLinkedSdks(program: string | undefined = process.argv[1]): Promise<void> {
  // With `node --import …/auto` the hooks are installed before the program is read.
  if (program === undefined || isPreloaded()) return;
  const files = listUsers(program).flatMap((user) => SDK_MODULES.flatMap((name) => resolveFrom(user, name)));
  for (const file of new Set(files)) await observeModule(file);
}

function isPreloaded(): boolean {
  const options = [...process.execArgv, readNodeOptions()].join(' ');
  return /(?:--import|--require|-r)[= ]\S*(?:toolscope|observe)\S*auto/.test(options);
}

/** A file from which an SDK is resolved, and whether it is a part of a package of CommonJS. */
interface SdkUser {
  readonly file: string;
  readonly isCommonJs: boolean;
}

/** The program, which is an ES module, and those of its direct dependencies that depend on an SDK themselves. */
function listUsers(program: string): readonly SdkUser[] {
  const own = { file: program, isCommonJs: false };
  const manifest = findManifest(dirname(program));
  if (manifest === undefined) return [own];
  const names = Object.keys(dependenciesOf(readManifest(manifest)));
  return [own, ...names.flatMap((name) => readUser(findPackage(dirname(manifest), name)))];
}

function readUser(manifest: string | undefined): readonly SdkUser[] {
  if (manifest === undefined) return [];
  const content = readManifest(manifest);
  if (!Object.keys(dependenciesOf(content)).some((name) => SDK_PACKAGE.test(name))) return [];
  return [{ file: realpathSync(manifest), isCommonJs: fieldOf(content, 'type') !== 'module' }];
}

function findManifest(from: string): string | undefined {
  return listParents(from)
    .map((folder) => join(folder, 'package.json'))
    .find((file) => existsSync(file));
}

function findPackage(from: string, name: string): string | undefined {
  return listParents(from)
    .map((folder) => join(folder, 'node_modules', name, 'package.json'))
    .find((file) => existsSync(file));
}

function listParents(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...listParents(parent)];
}

function readManifest(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // removed, or not JSON
  }
}

function dependenciesOf(manifest: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(manifest)) return {};
  const parts = ['dependencies', 'peerDependencies', 'optionalDependencies'].map((key) => manifest[key]);
  return Object.assign({}, ...parts.filter(isRecord));
}

/** The file that an `import` gets, and in a package of CommonJS also the one that a `require` gets. */
function resolveFrom({ file, isCommonJs }: SdkUser, specifier: string): readonly string[] {
  try {
    const required = createRequire(file).resolve(specifier);
    const imported = toImportedFile(required);
    return (isCommonJs ? [imported, required] : [imported]).filter((one) => existsSync(one));
  } catch {
    return []; // this package has no such SDK
  }
}

/** Both SDKs have their ES modules next to their CommonJS. */
const toImportedFile = (required: string): string =>
  required.replace(/([\\/])dist([\\/])cjs([\\/])/, '$1dist$2esm$3').replace(/\.cjs$/, '.mjs');

async function observeModule(file: string): Promise<void> {
  try {
    const module: unknown = await import(pathToFileURL(file).href);
    if (!isRecord(module)) return;
    for (const name of SERVER_CLASSES) observeClass(module[name]);
  } catch {
    // It will fail where the program imports it, too.
  }
}
