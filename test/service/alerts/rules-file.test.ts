// The rules file while the service runs: changed, broken, repaired, removed.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { UserError } from '../../../src/errors.ts';
import { RulesFile } from '../../../src/service/alerts/rules-file.ts';
import { createTestDirectory } from './open-test-alerts.ts';

const RULE = (threshold: string) =>
  `rules:\n  - id: errors\n    kind: metric\n    metric: error_rate\n    threshold: ${threshold}\n`;

async function openFile(dataDirectory: string, over: Partial<Parameters<typeof RulesFile.open>[0]> = {}) {
  const location = { explicitPath: undefined, dataDirectory, environment: {} };
  const log = pino({ level: 'silent' });
  return RulesFile.open({ ...location, checkConfig: async () => undefined, log, ...over }, 1_000);
}

const thresholdOf = ({ rules }: RulesFile) => rules.find(({ id }) => id === 'errors');

test('a changed rules file is in effect at the next look; a wrong one leaves the last good one, with line and column', async () => {
  const directory = createTestDirectory();
  const path = join(directory, 'alerts.yaml');
  writeFileSync(path, RULE('0.1'));
  const file = await openFile(directory);
  expect(await file.reload(2_000)).toBe(false);
  writeFileSync(path, RULE('0.2'));
  expect(await file.reload(3_000)).toBe(true);
  expect(thresholdOf(file)).toMatchObject({ threshold: 0.2 });
  writeFileSync(path, RULE('a lot'));
  expect(await file.reload(4_000)).toBe(true);
  expect(await file.reload(5_000), 'the same problem is no news').toBe(false);
  expect(thresholdOf(file)).toMatchObject({ threshold: 0.2 });
  expect(file.status).toEqual({
    path,
    loadedMs: 3_000,
    problem: `${path}:5:16: rule "errors", field "threshold" is "a lot". Expected a number from 0 to 1000000000000000.`,
  });
  writeFileSync(path, RULE('0.3'));
  expect(await file.reload(6_000)).toBe(true);
  expect(file.status).toEqual({ path, loadedMs: 6_000, problem: null });
});

test('the text before a mistake is in effect again when it comes back', async () => {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'alerts.yaml'), RULE('0.1'));
  const file = await openFile(directory);
  writeFileSync(join(directory, 'alerts.yaml'), 'rules: [');
  expect(await file.reload(2_000)).toBe(true);
  writeFileSync(join(directory, 'alerts.yaml'), RULE('0.1'));
  expect(await file.reload(3_000)).toBe(true);
  expect(file.status.problem).toBeNull();
});

test('a rules file that appears is read, and without it the built-in rules are in effect', async () => {
  const directory = createTestDirectory();
  const file = await openFile(directory);
  writeFileSync(join(directory, 'alerts.json'), '{ "rules": [{ "id": "x", "kind": "storm" }] }');
  expect(await file.reload(2_000)).toBe(true);
  expect(file.rules.map(({ id }) => id)).toContain('x');
  writeFileSync(join(directory, 'alerts.yaml'), RULE('0.1'));
  expect(await file.reload(3_000)).toBe(true);
  expect(file.status.problem).toContain('both exist');
  rmSync(join(directory, 'alerts.yaml'));
  rmSync(join(directory, 'alerts.json'));
  expect(await file.reload(4_000)).toBe(true);
  expect([file.rules.length, file.path, file.status.problem]).toEqual([3, null, null]);
});

test('a receiver that may not be used keeps the last rules in effect', async () => {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'alerts.yaml'), RULE('0.1'));
  let isRefused = false;
  const checkConfig = async () => {
    if (isRefused) throw new UserError('INVALID_SETTING', 'receiver "ops" is not allowed.');
  };
  const file = await openFile(directory, { checkConfig });
  isRefused = true;
  writeFileSync(join(directory, 'alerts.yaml'), RULE('0.2'));
  expect(await file.reload(2_000)).toBe(true);
  expect(thresholdOf(file)).toMatchObject({ threshold: 0.1 });
  expect(file.status.problem).toBe('receiver "ops" is not allowed.');
});

test('a service does not start with a wrong rules file', async () => {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'alerts.yaml'), RULE('a lot'));
  await expect(openFile(directory)).rejects.toThrow(':5:16: rule "errors"');
});
