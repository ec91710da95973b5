import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readFingerprintKey } from '../../../src/instrumentation/wrapper/fingerprint-key.ts';

let home = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolscope-key-'));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const text = (key: Uint8Array) => Buffer.from(key).toString();

describe('fingerprint key', () => {
  test('a key given as an option is used', () => {
    expect(text(readFingerprintKey({ fingerprintKey: 'given', stateDirectory: join(home, 'state') }))).toBe(
      'given',
    );
    expect(readdirSync(home)).toEqual([]);
  });

  test('a key is created once per user in a file that only that user can read', () => {
    const stateDirectory = join(home, 'state', 'toolscope');
    const first = readFingerprintKey({ fingerprintKey: '', stateDirectory });
    expect(text(first)).toMatch(/^[0-9a-f]{64}$/);
    expect(text(readFingerprintKey({ fingerprintKey: '', stateDirectory }))).toBe(text(first));
    expect(readdirSync(stateDirectory)).toEqual(['fingerprint-key']);
    expect(statSync(join(stateDirectory, 'fingerprint-key')).mode & 0o777).toBe(0o600);
  });

  test('a key that another process created first is used', () => {
    const stateDirectory = join(home, 'state');
    mkdirSync(stateDirectory);
    writeFileSync(join(stateDirectory, 'fingerprint-key'), 'theirs');
    expect(text(readFingerprintKey({ fingerprintKey: '', stateDirectory }))).toBe('theirs');
  });

  test.each([
    ['there is no place for it', () => ''],
    [
      'its place is a file',
      () => {
        writeFileSync(join(home, 'file'), '');
        return join(home, 'file');
      },
    ],
    [
      'its file is empty',
      () => {
        writeFileSync(join(home, 'fingerprint-key'), '');
        return home;
      },
    ],
  ])('the key is random for this process, because %s', (_because, place) => {
    const stateDirectory = place();
    const read = () => text(readFingerprintKey({ fingerprintKey: '', stateDirectory }));
    expect(readFingerprintKey({ fingerprintKey: '', stateDirectory }).length).toBe(32);
    expect(read()).not.toBe(read());
  });
});
