import { describe, expect, test } from 'vitest';
import {
  type EnvironmentVariables,
  resolveTarget,
} from '../../../src/instrumentation/exporter/export-target.ts';

describe('endpoint of the export', () => {
  test.each<[string | undefined, EnvironmentVariables, string, string]>([
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
  ])('the option %s with %j gives the endpoint %s, because %s', (option, environment, url, _because) => {
    expect(resolveTarget(option, environment)).toMatchObject({ status: 'target', url });
  });

  test.each(['localhost:4318', 'ftp://a', 'not a url', '/v1/traces'])('%s turns telemetry off', (option) => {
    expect(resolveTarget(option, {}).status).toBe('invalid');
  });

  test('an invalid endpoint is reported by its variable name, not by its value', () => {
    const target = resolveTarget(undefined, { TOOLSCOPE_ENDPOINT: 'user:password@host' });
    expect(target).toEqual({
      status: 'invalid',
      reason: 'TOOLSCOPE_ENDPOINT is not an http or https URL; telemetry is off',
    });
  });
});

describe('headers of the export', () => {
  const OTEL = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://d' };

  test.each<[EnvironmentVariables, Record<string, string>, string]>([
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
      { ...OTEL, TOOLSCOPE_TOKEN: 't', OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi' },
      { authorization: 'Basic YTpi' },
      'a vendor gets its own key and not our token',
    ],
    [{ ...OTEL, TOOLSCOPE_TOKEN: 't' }, {}, 'nor does it where it has no key'],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://d/v1/traces', TOOLSCOPE_TOKEN: 't' },
      {},
      'nor by the variable of the signal',
    ],
    ...['http://localhost:4318', 'http://127.0.0.1:4318', 'http://[::1]:4318', 'http://0177.0.0.1'].map(
      (endpoint): [EnvironmentVariables, Record<string, string>, string] => [
        { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TOOLSCOPE_TOKEN: 't' },
        { authorization: 'Bearer t' },
        'what listens on loopback is ours',
      ],
    ),
    ...[
      'http://localhost.example.org',
      'http://127.0.0.1.example.org',
      'http://127.example.org',
      'http://localhost@example.org',
      'http://example.org/localhost',
      'http://10.0.0.1',
    ].map((endpoint): [EnvironmentVariables, Record<string, string>, string] => [
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TOOLSCOPE_TOKEN: 't' },
      {},
      'it only looks like loopback',
    ]),
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector',
        TOOLSCOPE_TOKEN: 't',
      },
      { authorization: 'Bearer collector' },
      'a collector on loopback was given its own',
    ],
    [
      { ...OTEL, TOOLSCOPE_ENDPOINT: 'https://b', TOOLSCOPE_TOKEN: 't' },
      { authorization: 'Bearer t' },
      'an endpoint of ours may be anywhere',
    ],
    [
      { ...OTEL, OTEL_EXPORTER_OTLP_HEADERS: 'bad name=1,x=%0d%0aevil,nothing,=v,ok=100%' },
      { ok: '100%' },
      'what HTTP forbids is skipped',
    ],
  ])('%j gives the headers %j, because %s', (environment, headers, _because) => {
    expect(resolveTarget(undefined, environment)).toMatchObject({ status: 'target' });
    expect(resolveTarget(undefined, environment)).toHaveProperty('headers', headers);
  });

  test('every header except our own token identifies a tenant', () => {
    const environment = { ...OTEL, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi' };
    expect(resolveTarget(undefined, environment)).toMatchObject({
      tenantHeaders: { authorization: 'Basic YTpi' },
    });
    expect(resolveTarget(undefined, { TOOLSCOPE_TOKEN: 't' })).toMatchObject({ tenantHeaders: {} });
  });

  test('an endpoint given in code gets the token and no vendor’s key', () => {
    const environment = { ...OTEL, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=vendor', TOOLSCOPE_TOKEN: 't' };
    expect(resolveTarget('https://a', environment)).toHaveProperty('headers', { authorization: 'Bearer t' });
  });
});
