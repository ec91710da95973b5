import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEnvironment } from '../../../src/instrumentation/wrapper/environment.ts';
import { readFingerprintKey as readOfHost } from '../../../src/instrumentation/wrapper/fingerprint-key.ts';
import { readFingerprintKey } from '../../../src/service/config/fingerprint-key.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'toolscope-key-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const text = (key: Uint8Array) => Buffer.from(key).toString();

test('a configured fingerprint key is used', () => {
  const config = { fingerprintKey: 'k'.repeat(16), dataDirectory: '/nowhere' };
  expect(text(readFingerprintKey(config, {}))).toBe('k'.repeat(16));
});

test('a fingerprint key is generated once, readable by its user only', () => {
  const state = folder();
  const config = { fingerprintKey: undefined, dataDirectory: folder() };
  const key = readFingerprintKey(config, { XDG_STATE_HOME: state });
  expect(key.length).toBeGreaterThanOrEqual(32);
  expect(readFingerprintKey(config, { XDG_STATE_HOME: state })).toEqual(key);
  const path = join(state, 'toolscope', 'fingerprint-key');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path)).toEqual(key);
});

test.each(['the service', 'the wrapper'])(
  'service and wrapper share the fingerprint key that %s generated first',
  (first) => {
    const variables = { XDG_STATE_HOME: folder() };
    const config = { fingerprintKey: undefined, dataDirectory: folder() };
    const ofService = () => text(readFingerprintKey(config, variables));
    const ofWrapper = () => text(readOfHost(readEnvironment(variables)));
    const keys = first === 'the service' ? [ofService(), ofWrapper()] : [ofWrapper(), ofService()];
    expect(keys[0]).toBe(keys[1]);
  },
);

test('the fingerprint key is in the data directory when no state directory is writable', () => {
  const state = folder();
  const file = join(state, 'a-file');
  writeFileSync(file, '');
  const dataDirectory = folder();
  const key = readFingerprintKey({ fingerprintKey: undefined, dataDirectory }, { XDG_STATE_HOME: file });
  expect(readFileSync(join(dataDirectory, 'fingerprint-key'))).toEqual(key);
});
