import { describe, expect, test } from 'vitest';
import { type EnvironmentRecord, resolveTarget } from '../../../src/host/delivery/target.ts';

describe('the endpoint', () => {
  test.each<[string | undefined, EnvironmentRecord, string, string]>([
    [undefined, {}, 'http://127.0.0.1:4318/v1/traces', 'nothing was said'],
    ['http://a:1', { TOOLSCOPE_ENDPOINT: 'http://b' }, 'http://a:1/v1/traces', 'an option wins'],
    [
      undefined,
      { TOOLSCOPE_ENDPOINT: 'http://b', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c' },
      'http://b/v1/traces',
      'ours comes before OTel’s',
    ],
    [
      undefined,
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/x', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d' },
      'http://c/x',
      'the signal’s own is taken as it is',
    ],
    [
      undefined,
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d/base/' },
      'http://d/base/v1/traces',
      'a base gets the path',
    ],
    [undefined, { TOOLSCOPE_ENDPOINT: '' }, 'http://127.0.0.1:4318/v1/traces', 'empty is not set'],
    ['http://a/v1/traces', {}, 'http://a/v1/traces', 'the path is not doubled'],
    ['https://a?key=1', {}, 'https://a/v1/traces?key=1', 'a query stays'],
  ])('of option %s and %j is %s, because %s', (option, environment, url, _because) => {
    expect(resolveTarget(option, environment)).toMatchObject({ status: 'target', url });
  });

  test.each(['localhost:4318', 'ftp://a', 'not a url', '/v1/traces'])('%s turns telemetry off', (option) => {
    expect(resolveTarget(option, {}).status).toBe('invalid');
  });

  test('that is wrong is named by its variable, not by its value', () => {
    const target = resolveTarget(undefined, { TOOLSCOPE_ENDPOINT: 'user:password@host' });
    expect(target).toEqual({
      status: 'invalid',
      reason: 'TOOLSCOPE_ENDPOINT is not an http or https URL; telemetry is off',
    });
  });
});

describe('headers', () => {
  const OTEL = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d' };

  test.each<[EnvironmentRecord, Record<string, string>, string]>([
    [{}, {}, 'nothing was said'],
    [{ TOOLSCOPE_TOKEN: 't' }, { authorization: 'Bearer t' }, 'the token is ours'],
    [
      { ...OTEL, OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20b, y = 2 ' },
      { 'x-key': 'a b', y: '2' },
      'values are percent-encoded, names are not case-sensitive',
    ],
    [
      { ...OTEL, OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=1', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=2' },
      { a: '1', b: '2' },
      'the signal’s own win',
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=other-vendor', TOOLSCOPE_ENDPOINT: 'http://b' },
      {},
      'another vendor’s key is not ours to pass on',
    ],
    [
      { ...OTEL, OTEL_EXPORTER_OTLP_HEADERS: 'bad name=1,x=%0d%0aevil,nothing,=v,ok=100%' },
      { ok: '100%' },
      'what HTTP forbids is skipped',
    ],
  ])('of %j are %j, because %s', (environment, headers, _because) => {
    expect(resolveTarget(undefined, environment)).toMatchObject({ status: 'target' });
    expect(resolveTarget(undefined, environment)).toHaveProperty('headers', headers);
  });
});
