import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readEnvironment } from '../../../src/instrumentation/wrapper/environment.ts';

let directory = '';

afterEach(() => {
  if (directory !== '') rmSync(directory, { recursive: true });
  directory = '';
});

function fileOf(text: string): string {
  directory = mkdtempSync(join(tmpdir(), 'toolscope-environment-'));
  const file = join(directory, 'secret');
  writeFileSync(file, text);
  return file;
}

describe('environment variables', () => {
  test('an empty environment sets no option', () => {
    expect(readEnvironment({})).toMatchObject({
      disabled: false,
      wrapped: false,
      environment: '',
      serviceName: '',
      capture: undefined,
      fingerprintKey: '',
      stateDirectory: '',
    });
  });

  test.each([
    ['OTel can be switched off as a whole', { OTEL_SDK_DISABLED: 'TRUE' }, { disabled: true }],
    ['only "true" switches it off', { OTEL_SDK_DISABLED: '1' }, { disabled: false }],
    ['a proxy says that it counts', { TOOLSCOPE_WRAPPED: '1' }, { wrapped: true }],
    [
      'our variable wins',
      { TOOLSCOPE_ENVIRONMENT: 'a', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=b' },
      { environment: 'a' },
    ],
    [
      'OTel’s resource is read',
      { OTEL_RESOURCE_ATTRIBUTES: 'x=y,deployment.environment.name=b%20c,service.name=s' },
      { environment: 'b c', serviceName: 's' },
    ],
    [
      'the old name of the attribute is read too',
      { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=old' },
      { environment: 'old' },
    ],
    [
      'a bad escape is what it says',
      { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=%zz' },
      { environment: '%zz' },
    ],
    ['a capture mode is one of four', { TOOLSCOPE_CAPTURE: 'full' }, { capture: 'full' }],
    ['another word is no capture mode', { TOOLSCOPE_CAPTURE: 'everything' }, { capture: undefined }],
    [
      'state has a place of its own',
      { XDG_STATE_HOME: '/s', HOME: '/h' },
      { stateDirectory: '/s/toolscope' },
    ],
    [
      'a relative place is none',
      { XDG_STATE_HOME: 's', HOME: '/h' },
      { stateDirectory: '/h/.local/state/toolscope' },
    ],
    [
      'calls are kept beside the key',
      { HOME: '/h' },
      { spool: { directory: '/h/.local/state/toolscope/spool', maxBytes: 67_108_864 } },
    ],
    [
      'a spool may lie elsewhere and be smaller',
      { HOME: '/h', TOOLSCOPE_SPOOL_DIR: '/s', TOOLSCOPE_SPOOL_MAX_BYTES: '1000' },
      { spool: { directory: '/s', maxBytes: 1_000 } },
    ],
    [
      'a size that is none counts as none',
      { TOOLSCOPE_SPOOL_DIR: '/s', TOOLSCOPE_SPOOL_MAX_BYTES: '64 MiB' },
      { spool: { directory: '/s', maxBytes: 67_108_864 } },
    ],
    ['a spool of no bytes is none', { HOME: '/h', TOOLSCOPE_SPOOL_MAX_BYTES: '0' }, { spool: undefined }],
    ['without a home there is no spool', {}, { spool: undefined }],
    [
      'a relative home is none: its files would lie in the working directory',
      { HOME: 'h' },
      { stateDirectory: '', spool: undefined },
    ],
    ['a relative profile is none', { USERPROFILE: './h' }, { stateDirectory: '', spool: undefined }],
    [
      'a relative home takes no place from an absolute spool',
      { HOME: '.', TOOLSCOPE_SPOOL_DIR: '/s' },
      { stateDirectory: '', spool: { directory: '/s', maxBytes: 67_108_864 } },
    ],
    [
      'a relative spool is none',
      { HOME: '/h', TOOLSCOPE_SPOOL_DIR: 's' },
      { spool: { directory: '/h/.local/state/toolscope/spool', maxBytes: 67_108_864 } },
    ],
  ])('the environment is read as expected because %s', (_because, variables, expected) => {
    expect(readEnvironment(variables)).toMatchObject(expected);
  });

  test('secrets are read from files without their last newline', () => {
    const file = fileOf('from a file\n');
    const environment = readEnvironment({ TOOLSCOPE_FINGERPRINT_KEY_FILE: file, TOOLSCOPE_TOKEN_FILE: file });
    expect(environment.fingerprintKey).toBe('from a file');
    expect(environment.resolveTarget(undefined)).toMatchObject({
      headers: { authorization: 'Bearer from a file' },
    });
  });

  test('a secret variable wins over its file, and a missing file is ignored', () => {
    const both = { TOOLSCOPE_FINGERPRINT_KEY: 'set', TOOLSCOPE_FINGERPRINT_KEY_FILE: '/nowhere' };
    expect(readEnvironment(both).fingerprintKey).toBe('set');
    expect(readEnvironment({ TOOLSCOPE_FINGERPRINT_KEY_FILE: '/nowhere' }).fingerprintKey).toBe('');
  });

  test('the endpoint of Toolscope wins over the OpenTelemetry endpoints', () => {
    const { resolveTarget } = readEnvironment({
      TOOLSCOPE_ENDPOINT: 'http://env:1',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:2',
    });
    expect([resolveTarget('http://option:3'), resolveTarget(undefined)]).toMatchObject([
      { url: 'http://option:3/v1/traces' },
      { url: 'http://env:1/v1/traces' },
    ]);
  });
});
