// The import table of src/README.md, held. Rooms import only downward; a package appears only where the table says.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Core rooms in order: each may import those before it. */
const CORE_MODULES = [
  'model',
  'values',
  'semconv',
  'judgement',
  'loops',
  'storms',
  'guard',
  'observer',
  'advice',
  'otlp',
  'dialects',
] as const;

interface ModuleRule {
  readonly rooms: readonly string[];
  readonly packages: readonly string[] | 'any';
  readonly node: readonly string[] | 'any';
}

const coreModuleRules = CORE_MODULES.map((module, at): [string, ModuleRule] => [
  `src/core/${module}`,
  {
    rooms: ['src/errors', ...CORE_MODULES.slice(0, at).map((r) => `src/core/${r}`)],
    packages: ['protobufjs'],
    node: ['crypto'],
  },
]);

const coreModules = CORE_MODULES.map((module) => `src/core/${module}`);
const SERVICE_MODULES = [
  'ingest',
  'engine',
  'store',
  'questions',
  'follower',
  'alerts',
  'upkeep',
  'api',
  'mcp-server',
  'config',
];
const serviceModules = SERVICE_MODULES.map((module) => `src/service/${module}`);
const sharedModules = ['src/errors', ...coreModules, 'src/segments', 'src/contract'];

/** Which service rooms a service room may know; everything else reaches it as a port that `start.ts` fills. */
const SERVICE_DEPENDENCIES: Readonly<Record<string, readonly string[]>> = {
  ingest: [],
  engine: [],
  store: [],
  questions: ['store'],
  follower: [],
  alerts: [],
  upkeep: ['store'],
  api: ['questions', 'alerts', 'upkeep'],
  'mcp-server': ['questions', 'alerts', 'upkeep'],
  config: [],
};

const SERVICE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  ingest: ['express', 'pino', 'prom-client'],
  engine: ['chdb', 'pino'],
  store: ['@clickhouse/client', 'zod', 'pino'],
  questions: ['zod'],
  follower: ['pino'],
  alerts: ['zod', 'pino'],
  upkeep: ['pino', 'zod'],
  api: ['express', 'helmet', 'compression', 'zod', 'pino', 'prom-client', '@asteasolutions/zod-to-openapi'],
  'mcp-server': ['zod', '@modelcontextprotocol/sdk'],
  config: ['zod'],
};

const MODULE_RULES: ReadonlyMap<string, ModuleRule> = new Map<string, ModuleRule>([
  ...coreModuleRules,
  ['src/errors', { rooms: [], packages: [], node: [] }],
  ['src/segments', { rooms: ['src/errors'], packages: [], node: 'any' }],
  ...['wrapper', 'proxy', 'delivery'].map((room): [string, ModuleRule] => [
    `src/host/${room}`,
    {
      rooms: [
        'src/errors',
        ...coreModules,
        'src/segments',
        ...(room === 'delivery' ? [] : ['src/host/delivery', 'src/host/wrapper']),
      ],
      packages: ['@opentelemetry/api'],
      node: 'any',
    },
  ]),
  ['src/contract', { rooms: ['src/core/model'], packages: ['zod'], node: [] }],
  ...SERVICE_MODULES.map((room): [string, ModuleRule] => [
    `src/service/${room}`,
    {
      rooms: [...sharedModules, ...(SERVICE_DEPENDENCIES[room] ?? []).map((n) => `src/service/${n}`)],
      packages: SERVICE_PACKAGES[room] ?? [],
      node: 'any',
    },
  ]),
  [
    'src/service',
    {
      rooms: [...sharedModules, ...serviceModules],
      packages: ['express', 'pino', 'prom-client'],
      node: 'any',
    },
  ],
  ['src/index', { rooms: ['src/host/wrapper', ...coreModules], packages: [], node: [] }],
  [
    'src/otel',
    {
      rooms: ['src/host/wrapper', 'src/index', ...coreModules],
      packages: ['@opentelemetry/sdk-node', '@opentelemetry/api'],
      node: 'any',
    },
  ],
  ['src/loops', { rooms: coreModules, packages: [], node: [] }],
  [
    'src/cli',
    {
      rooms: [
        ...sharedModules,
        'src/host/proxy',
        'src/host/delivery',
        'src/host/wrapper',
        'src/service',
        ...serviceModules,
      ],
      packages: ['commander', 'zod', 'pino', '@modelcontextprotocol/client'],
      node: 'any',
    },
  ],
  [
    'src/demo',
    {
      rooms: ['src/index', 'src/service', 'src/cli', ...sharedModules, ...serviceModules],
      packages: 'any',
      node: 'any',
    },
  ],
  ['dashboard', { rooms: ['src/contract', 'src/core/model'], packages: 'any', node: [] }],
]);

function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.config\.ts$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((file) => !file.endsWith('.d.ts'));
}

function moduleOf(file: string): string {
  const parts = file.replace(/\.tsx?$/, '').split('/');
  if (parts[0] === 'dashboard') return 'dashboard';
  const nested = ['core', 'host', 'service'].includes(parts[1] ?? '');
  if (nested && parts.length > 3) return parts.slice(0, 3).join('/');
  return parts.slice(0, 2).join('/');
}

const IMPORT =
  /(?:^|[\s;])(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\s;])import\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

const isBuiltin = (specifier: string): boolean =>
  specifier.startsWith('node:') || builtinModules.includes(specifier);

/** What of the outside a specifier names: a room, a part of Node, or a package. */
function targetOf(file: string, specifier: string): { kind: 'rooms' | 'node' | 'packages'; name: string } {
  if (specifier.startsWith('.'))
    return { kind: 'rooms', name: moduleOf(relative(ROOT, resolve(ROOT, dirname(file), specifier))) };
  if (isBuiltin(specifier))
    return { kind: 'node', name: specifier.replace(/^node:/, '').split('/')[0] ?? '' };
  const parts = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1);
  return { kind: 'packages', name: parts.join('/') };
}

function findViolation(file: string, specifier: string): string | undefined {
  const module = moduleOf(file);
  const rule = MODULE_RULES.get(module);
  if (!rule) return `${file} is in no room of the table (${module})`;
  if (specifier.startsWith('.') && !/\.(tsx?|css|json|svg|woff2)$/.test(specifier))
    return `${file} imports ${specifier} without its extension`;
  const { kind, name } = targetOf(file, specifier);
  const allowed = rule[kind];
  if (allowed === 'any' || allowed.includes(name) || name === module) return undefined;
  const what = { rooms: name, node: specifier, packages: `package ${name}` }[kind];
  return `${file} (${module}) imports ${what}`;
}

describe('the house', () => {
  const files = [...listFiles('src'), ...listFiles('dashboard')];

  test('has files to look at', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(50);
  });

  test('imports only downward, by the table', () => {
    const violations = files.flatMap((file) =>
      importsOf(file).flatMap((specifier) => findViolation(file, specifier) ?? []),
    );
    expect(violations).toEqual([]);
  });

  test('has each of its rooms on the map', () => {
    const map = readFileSync(join(ROOT, 'src/README.md'), 'utf8');
    const rooms = files
      .map((file) => dirname(file))
      .filter((room) => room.startsWith('src/') && MODULE_RULES.has(room))
      .map((room) => room.slice('src/'.length));
    expect([...new Set(rooms)].filter((room) => !map.includes(`| \`${room}\``))).toEqual([]);
  });

  test('notices a violation when there is one', () => {
    expect(findViolation('src/core/model/x.ts', '../otlp/span.ts')).toBe(
      'src/core/model/x.ts (src/core/model) imports src/core/otlp',
    );
    expect(findViolation('src/host/wrapper/x.ts', 'zod')).toBe(
      'src/host/wrapper/x.ts (src/host/wrapper) imports package zod',
    );
    expect(findViolation('src/contract/x.ts', 'node:fs')).toBe(
      'src/contract/x.ts (src/contract) imports node:fs',
    );
    expect(findViolation('dashboard/src/x.tsx', '../../src/service/start.ts')).toBe(
      'dashboard/src/x.tsx (dashboard) imports src/service',
    );
  });
});
