// docker-compose.yml cannot be run where the tests run, so it is read: what it must say is said here.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../src/service/config/read-config.ts';
import { SETTING_NAMES, SETTINGS } from '../src/service/config/settings.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const ServiceDefinition = z.object({
  image: z.string().optional(),
  build: z.strictObject({ context: z.string(), dockerfile_inline: z.string() }).optional(),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()),
  ulimits: z.object({ nofile: z.object({ soft: z.number(), hard: z.number() }) }).optional(),
  healthcheck: z.object({
    test: z.array(z.string()),
    interval: z.string(),
    timeout: z.string(),
    retries: z.number(),
    start_period: z.string(),
  }),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  read_only: z.boolean().optional(),
  restart: z.string(),
  stop_grace_period: z.string(),
});

const Compose = z.object({
  services: z.strictObject({ clickhouse: ServiceDefinition, toolscope: ServiceDefinition }),
  volumes: z.record(z.string(), z.unknown()),
});

const { services, volumes } = Compose.parse(parse(readFileSync(`${ROOT}docker-compose.yml`, 'utf8')));
const { clickhouse, toolscope } = services;
const dockerfile = toolscope.build?.dockerfile_inline ?? '';

describe('docker-compose.yml', () => {
  test('every image is pinned to one release', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map((match) => match[1]);
    expect(bases).toEqual(['node:20.20.2-bookworm-slim', 'node:20.20.2-bookworm-slim']);
    for (const image of [clickhouse.image, ...bases]) {
      expect(image).toMatch(/:\d+\.\d+\.\d+/);
      expect(image).not.toContain('latest');
    }
    expect(clickhouse.image).toMatch(/^clickhouse\/clickhouse-server:\d+\.\d+\.\d+\.\d+-alpine$/);
  });

  test('the ports of HTTP and gRPC are published, on loopback', () => {
    expect(clickhouse.ports).toBeUndefined();
    expect(toolscope.ports).toEqual(['127.0.0.1:4318:4318', '127.0.0.1:4317:4317']);
  });

  test('the services refuse to start without a token or a password', () => {
    expect(toolscope.environment['TOOLSCOPE_TOKEN']).toMatch(/^\$\{TOOLSCOPE_TOKEN:\?.+\}$/);
    expect(toolscope.environment['CLICKHOUSE_PASSWORD']).toMatch(/^\$\{CLICKHOUSE_PASSWORD:\?.+\}$/);
    expect(clickhouse.environment['CLICKHOUSE_PASSWORD']).toBe(toolscope.environment['CLICKHOUSE_PASSWORD']);
    expect(clickhouse.environment['CLICKHOUSE_USER']).toBe(toolscope.environment['CLICKHOUSE_USER']);
  });

  test('only existing variables are set, to allowed values', () => {
    const known = SETTING_NAMES.map((name) => SETTINGS[name].environment);
    expect(known).toEqual(expect.arrayContaining(Object.keys(toolscope.environment)));
    const environment = {
      ...toolscope.environment,
      TOOLSCOPE_TOKEN: 'x'.repeat(48),
      CLICKHOUSE_PASSWORD: 'pw',
    };
    expect(readConfig({ environment })).toMatchObject({
      host: '0.0.0.0',
      port: 4318,
      dataDirectory: '/data',
      clickhouseUrl: 'http://clickhouse:8123/',
      allowedHosts: ['toolscope'],
    });
  });

  test('each service has a health check and waits for the store', () => {
    expect(clickhouse.healthcheck.test.join(' ')).toBe('CMD wget --spider -q http://127.0.0.1:8123/ping');
    expect(toolscope.healthcheck.test.join(' ')).toContain("fetch('http://127.0.0.1:4318/readyz')");
    expect(toolscope.depends_on).toEqual({ clickhouse: { condition: 'service_healthy' } });
  });

  test('data is in named volumes, and services have time to stop', () => {
    expect(Object.keys(volumes)).toEqual(['clickhouse-data', 'clickhouse-logs', 'toolscope-data']);
    const mounted = [...clickhouse.volumes, ...toolscope.volumes].map((volume) => volume.split(':')[0]);
    expect(mounted).toEqual(Object.keys(volumes));
    expect(clickhouse.ulimits?.nofile).toEqual({ soft: 262_144, hard: 262_144 });
    expect([clickhouse.stop_grace_period, toolscope.stop_grace_period]).toEqual(['30s', '30s']);
  });

  test('the image is built in stages from the lockfile and runs as an unprivileged user', () => {
    expect(dockerfile).toMatch(/npm ci\n[\s\S]*npm run build && npm prune --omit=dev\n[\s\S]*FROM/);
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile.indexOf('USER node')).toBeLessThan(dockerfile.indexOf('ENTRYPOINT'));
    expect(toolscope.read_only).toBe(true);
  });

  test('the image copies only existing files', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
      match[1]!.split(' '),
    );
    expect(copied.length).toBeGreaterThan(4);
    expect(copied.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  });
});
