// The package holds fonts and code of others, whose licences ask to come along. Needs `npm run build` first, as `npm test` does.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DASHBOARD = `${ROOT}dist/dashboard/`;
const read = (file: string): string => readFileSync(`${DASHBOARD}${file}`, 'utf8');

/** Licences that ask for nothing. */
const WITHOUT_NOTICE = ['Unlicense', '0BSD', 'CC0-1.0'];

/** By package, what stands under its heading. */
function sectionsOf(text: string): ReadonlyMap<string, string> {
  const sections = text.split(/^##? (?=\S+ - |@\S+$)/m).slice(1);
  return new Map(
    sections.map((section) => {
      const [heading = ''] = section.split('\n', 1);
      return [heading.split(' - ')[0] ?? '', section];
    }),
  );
}

/** Every package of which a module is in the bundle. */
async function bundledPackages(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const collect: Plugin = {
    name: 'collect',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle))
        for (const id of file.type === 'chunk' ? Object.keys(file.modules) : [])
          for (const [, name = ''] of id.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)) names.add(name);
    },
  };
  const configFile = `${ROOT}dashboard/vite.config.ts`;
  await build({ configFile, logLevel: 'silent', build: { write: false }, plugins: [collect] });
  return names;
}

// Requirement: outside.package
describe('licences in the package', () => {
  test('the licence file names every bundled package with its notice', { timeout: 120_000 }, async () => {
    const sections = sectionsOf(read('THIRD-PARTY-LICENSES.md'));
    const names = await bundledPackages();
    expect(names).toContain('react');
    for (const name of names) {
      const section = sections.get(name) ?? '';
      const [, licence = ''] = / - \S+ \((.+)\)/.exec(section) ?? [];
      expect(licence, name).not.toBe('');
      if (!WITHOUT_NOTICE.includes(licence)) expect(section, name).toMatch(/copyright/i);
    }
  });

  test('the licence file names every font with the whole SIL Open Font License', () => {
    const sections = sectionsOf(read('FONT-LICENSES.md'));
    const fonts = readdirSync(`${DASHBOARD}assets`).filter((file) => /\.(?:woff2?|ttf|otf)$/.test(file));
    expect(fonts.length).toBeGreaterThan(2);
    for (const font of fonts) {
      const name = [...sections.keys()].find((one) => font.startsWith(`${one.split('/')[1]}-`));
      expect(name, font).toBeDefined();
      const section = sections.get(name ?? '') ?? '';
      expect(section, font).toMatch(/Copyright[\s\S]*SIL OPEN FONT LICENSE Version 1\.1[\s\S]*DISCLAIMER/);
    }
  });

  test('the licence files are part of the published package', { timeout: 60_000 }, () => {
    const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
    const [packed] = JSON.parse(said.toString()) as { files: { path: string }[] }[]; // npm's own format
    expect(packed?.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'dist/dashboard/FONT-LICENSES.md',
        'dist/dashboard/THIRD-PARTY-LICENSES.md',
      ]),
    );
  });
});
