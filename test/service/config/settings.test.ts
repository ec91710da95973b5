import { describe, expect, test } from 'vitest';
import { toClickHouseAddress } from '../../../src/service/config/clickhouse-address.ts';
import {
  assertIngestTokenDiffers,
  assertPublicBindHasToken,
  isLoopback,
} from '../../../src/service/config/public-bind.ts';
import { readConfig } from '../../../src/service/config/read-config.ts';
import { SETTING_NAMES, SETTINGS } from '../../../src/service/config/settings.ts';
import { formatSettingsTable } from '../../support/settings-table.ts';

const NOWHERE = { TOOLSCOPE_DATA_DIR: '/nowhere' };

describe('SETTINGS', () => {
  test('every environment variable is named once in the settings table', () => {
    const variables = SETTING_NAMES.map((name) => SETTINGS[name].environment);
    expect(new Set(variables).size).toBe(variables.length);
  });

  test('the setting names that users rely on have not changed', () => {
    expect(
      SETTING_NAMES.map((name) => [name, SETTINGS[name].flag ?? '', SETTINGS[name].environment]),
    ).toEqual([
      ['host', '--host <address>', 'TOOLSCOPE_HOST'],
      ['port', '--port <number>', 'TOOLSCOPE_PORT'],
      ['grpcPort', '--grpc-port <number>', 'TOOLSCOPE_GRPC_PORT'],
      ['dataDirectory', '--data-dir <path>', 'TOOLSCOPE_DATA_DIR'],
      ['clickhouseUrl', '--clickhouse-url <url>', 'CLICKHOUSE_URL'],
      ['clickhouseUser', '', 'CLICKHOUSE_USER'],
      ['clickhousePassword', '', 'CLICKHOUSE_PASSWORD'],
      ['token', '', 'TOOLSCOPE_TOKEN'],
      ['ingestToken', '', 'TOOLSCOPE_INGEST_TOKEN'],
      ['allowedHosts', '--allowed-hosts <names>', 'TOOLSCOPE_ALLOWED_HOSTS'],
      ['retentionDays', '--retention-days <days>', 'TOOLSCOPE_RETENTION_DAYS'],
      ['rollupRetentionDays', '--rollup-retention-days <days>', 'TOOLSCOPE_ROLLUP_RETENTION_DAYS'],
      ['payloadRetentionDays', '--payload-retention-days <days>', 'TOOLSCOPE_PAYLOAD_RETENTION_DAYS'],
      ['childSpanRetentionDays', '--child-span-retention-days <days>', 'TOOLSCOPE_CHILD_SPAN_RETENTION_DAYS'],
      ['childSpansPerDay', '--child-spans-per-day <number>', 'TOOLSCOPE_CHILD_SPANS_PER_DAY'],
      ['agentCallRetentionDays', '--agent-call-retention-days <days>', 'TOOLSCOPE_AGENT_CALL_RETENTION_DAYS'],
      ['agentCallsPerDay', '--agent-calls-per-day <number>', 'TOOLSCOPE_AGENT_CALLS_PER_DAY'],
      ['capture', '--capture <mode>', 'TOOLSCOPE_CAPTURE'],
      ['fingerprintKey', '', 'TOOLSCOPE_FINGERPRINT_KEY'],
      ['journalMaxBytes', '--journal-max-bytes <size>', 'TOOLSCOPE_JOURNAL_MAX_BYTES'],
      ['nameLimits', '--name-limits <list>', 'TOOLSCOPE_NAME_LIMITS'],
      ['diskReserveBytes', '--disk-reserve-bytes <size>', 'TOOLSCOPE_DISK_RESERVE_BYTES'],
      ['alertsFile', '--alerts <path>', 'TOOLSCOPE_ALERTS'],
      ['alertCommands', '--alert-commands <paths>', 'TOOLSCOPE_ALERT_COMMANDS'],
      ['loopThresholdsFile', '--loop-thresholds <path>', 'TOOLSCOPE_LOOP_THRESHOLDS'],
      ['errorCodesFile', '--error-codes <path>', 'TOOLSCOPE_ERROR_CODES'],
      ['tokenPrice', '--token-price <number>', 'TOOLSCOPE_TOKEN_PRICE'],
      ['tokenCurrency', '--token-currency <code>', 'TOOLSCOPE_TOKEN_CURRENCY'],
      ['logLevel', '--log-level <level>', 'TOOLSCOPE_LOG_LEVEL'],
      ['configFile', '--config <path>', 'TOOLSCOPE_CONFIG'],
    ]);
  });

  test('no secret setting has a flag', () => {
    const secrets = SETTING_NAMES.filter((name) => SETTINGS[name].secret);
    expect(secrets).toEqual(['clickhousePassword', 'token', 'ingestToken', 'fingerprintKey']);
    expect(secrets.filter((name) => SETTINGS[name].flag !== undefined)).toEqual([]);
  });

  test('the Markdown table of settings has one row per setting', () => {
    const lines = formatSettingsTable().split('\n');
    expect(lines.length).toBe(SETTING_NAMES.length + 2);
    expect(lines[3]).toBe(
      '| `port` | `--port <number>` | `TOOLSCOPE_PORT` | `4318` | Port of the dashboard, the API and OTLP; 0 picks ' +
        'a free one. Allowed: a whole number from 0 to 65535. |',
    );
    expect(lines.every((line) => line.split(' | ').length === 5)).toBe(true);
  });
});

describe('address to listen on', () => {
  test.each([
    ['127.0.0.1', true, 'it is the loopback address'],
    ['127.8.9.10', true, 'the whole of 127/8 is loopback'],
    ['::1', true, 'it is the loopback address of IPv6'],
    ['LOCALHOST', true, 'names have no case'],
    ['0.0.0.0', false, 'it is every address of the machine'],
    ['::', false, 'it is every address of the machine'],
    ['127.example.com', false, 'it only looks like one'],
    ['localhost.example.com', false, 'it only looks like one'],
    ['10.0.0.1', false, 'a private network is a network'],
  ])('the address %s counts as loopback: %s, because %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });

  test('a public address without a token is refused, with the reason and the remedy', () => {
    expect(() => assertPublicBindHasToken({ host: '0.0.0.0', token: undefined })).toThrow(
      /0\.0\.0\.0 is not a loopback address.*could read.*TOOLSCOPE_TOKEN/s,
    );
  });

  test('a public address with a token is accepted', () => {
    expect(() => assertPublicBindHasToken({ host: '0.0.0.0', token: 'x'.repeat(16) })).not.toThrow();
  });
});

describe('toClickHouseAddress', () => {
  test.each<[Record<string, string>, ReturnType<typeof toClickHouseAddress>, string]>([
    [{}, undefined, 'no URL means the embedded engine'],
    [
      { CLICKHOUSE_URL: 'http://db:8123' },
      { url: 'http://db:8123', username: 'default', password: '' },
      'a fresh server has a default user',
    ],
    [
      { CLICKHOUSE_URL: 'https://ann:p%40ss@db:8443/', CLICKHOUSE_USER: 'bob', CLICKHOUSE_PASSWORD: 'no' },
      { url: 'https://db:8443', username: 'ann', password: 'p@ss' },
      'credentials in the URL win and leave it',
    ],
    [
      { CLICKHOUSE_URL: 'http://db:8123', CLICKHOUSE_USER: 'bob', CLICKHOUSE_PASSWORD: 'pw' },
      { url: 'http://db:8123', username: 'bob', password: 'pw' },
      'they may stand apart',
    ],
  ])('the ClickHouse address of %j is %j because %s', (environment, expected) => {
    expect(toClickHouseAddress(readConfig({ environment: { ...NOWHERE, ...environment } }))).toEqual(
      expected,
    );
  });
});

describe('two tokens', () => {
  const token = 'reads-and-writes-all';
  const ingestToken = 'sends-and-nothing-else';
  test.each([
    [{ token, ingestToken }, true, 'they are two'],
    [{ token, ingestToken: undefined }, true, 'one is enough'],
    [{ token: undefined, ingestToken: undefined }, true, 'loopback needs none'],
    [{ token: undefined, ingestToken }, false, 'everybody could read'],
    [{ token, ingestToken: token }, false, 'a sender could also read'],
  ])('the tokens %j are accepted: %s, because %s', (tokens, fit, _because) => {
    const check = () => assertIngestTokenDiffers(tokens);
    if (fit) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'INVALID_SETTING', field: 'ingestToken' }));
  });
});
