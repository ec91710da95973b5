// The service under connections that are held, tokens that are wrong, and names without end.
import { readFileSync } from 'node:fs';
import { type RunningService, startService, until, waitUntilDrained } from '../support/service.ts';
import type { Attack, AttackReport } from './attack.ts';
import { encodeNames, NAME_PLACES, type NamePlace } from './many-names.ts';
import { PAGE_REQUESTS } from './page-requests.ts';
import { openSlowConnections } from './slow-connections.ts';
import { quantile, watchHealth } from './watch-health.ts';

const TOKEN = 'the-token-that-opens-everything';

/** One after the other, since each opens more connections than the service takes. */
const SLOW_ROUTES = ['POST /api/v1/login', 'GET /healthz', 'POST /v1/traces', 'POST /api/v1/annotations'];
const CONNECTIONS = 2_200;
/** A login has three seconds to arrive, other bodies ten, and whatever comes after an answer five. */
const RELEASE_DEADLINE_MS = 16_000;

async function attackWithSlowRequests(routes: readonly string[], durationMs: number): Promise<AttackReport> {
  const service = await startService({ environment: { TOOLSCOPE_TOKEN: TOKEN } });
  const broken: string[] = [];
  const measurements: Record<string, number> = {};
  try {
    for (const route of routes) {
      const health = watchHealth(service.base);
      const slowConnections = openSlowConnections(service.base, CONNECTIONS, route);
      await new Promise((resolve) => setTimeout(resolve, durationMs));
      const took = await health.stop();
      const remaining = slowConnections.open;
      slowConnections.close();
      const unanswered = took.filter((ms) => !Number.isFinite(ms)).length;
      measurements[`${route}: median of /healthz in ms`] = quantile(took, 0.5);
      measurements[`${route}: slowest in ms`] = quantile(took, 1);
      measurements[`${route}: connections left`] = remaining;
      if (unanswered > 0) broken.push(`${route}: ${unanswered} of ${took.length} probes had no answer`);
      if (durationMs >= RELEASE_DEADLINE_MS && remaining > 0)
        broken.push(`${route}: ${remaining} connections are still held`);
    }
  } finally {
    await service.stop();
  }
  return { broken, figures: measurements };
}

async function attackWithStaleToken(rounds: number): Promise<AttackReport> {
  const service = await startService({
    environment: { TOOLSCOPE_TOKEN: TOKEN, TOOLSCOPE_INGEST_TOKEN: 'the-token-that-only-sends' },
  });
  const send = async (token: string): Promise<number> =>
    (await service.post('{"resourceSpans":[]}', { authorization: `Bearer ${token}` })).status;
  const read = async (): Promise<number> =>
    (
      await fetch(`${service.base}/api/v1/summary?from=now-1h`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      })
    ).status;
  try {
    const stale = new Set<number>();
    const good = new Set<number>();
    for (let round = 0; round < rounds; round += 1) stale.add(await send('a-token-of-last-year'));
    for (let round = 0; round < 3; round += 1) {
      good.add(await send('the-token-that-only-sends')).add(await read());
    }
    const isGoodTaken = [...good].every((status) => status === 200);
    const isStaleSlowed = stale.has(429) && !stale.has(200);
    return {
      broken: [
        ...(isGoodTaken ? [] : [`good tokens were answered ${[...good].join(', ')}`]),
        ...(isStaleSlowed ? [] : [`the stale token was answered ${[...stale].join(', ')} only`]),
      ],
      figures: { 'stale requests': rounds },
    };
  } finally {
    await service.stop();
  }
}

const SPANS_OF_BODY = 5_000;

/** A name for each span, in one place after the other. */
async function sendNames(
  service: RunningService,
  places: readonly NamePlace[],
  names: number,
): Promise<void> {
  // Who was here before.
  await sendUntilAccepted(service, encodeNames('plans', 0, 100));
  for (const place of places) {
    for (let first = 0; first < names; first += SPANS_OF_BODY)
      await sendUntilAccepted(service, encodeNames(place, first, Math.min(SPANS_OF_BODY, names - first)));
  }
}

/** As senders do: one that is told to wait comes again, and so does one whose idle connection was closed meanwhile. */
async function sendUntilAccepted({ post }: RunningService, body: string): Promise<void> {
  await until(async () => {
    const response = await post(body);
    await response.arrayBuffer();
    return response.ok ? true : undefined;
  });
}

interface PageLoad {
  readonly ms: number;
  readonly bytes: number;
  readonly statuses: readonly number[];
}

/** All that a page asks, at once. */
async function loadPage(base: string, requests: readonly string[]): Promise<PageLoad> {
  const started = performance.now();
  const answers = await Promise.all(
    requests.map(async (question) => {
      const response = await fetch(`${base}/api/v1/${question}`);
      return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
    }),
  );
  return {
    ms: Math.round(performance.now() - started),
    bytes: answers.reduce((sum, { bytes }) => sum + bytes, 0),
    statuses: [...new Set(answers.map(({ status }) => status))],
  };
}

/** Most memory that a process has had, in megabytes. */
function peakRssMb(pid: number): number {
  const [, kilobytes = ''] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

interface NameAttackLimits {
  readonly names: number;
  readonly places: readonly NamePlace[];
  readonly pageMs: number;
  readonly healthMs: number;
  /** Of the service without its engine. */
  readonly megabytes: number;
}

const PAGE_BYTES = 2_500_000;

async function attackWithNames({
  names,
  places,
  pageMs,
  healthMs,
  megabytes,
}: NameAttackLimits): Promise<AttackReport> {
  const service = await startService();
  const broken: string[] = [];
  const measurements: Record<string, number> = {};
  try {
    const health = watchHealth(service.base);
    await sendNames(service, places, names);
    await waitUntilDrained(service);
    for (const [page, questions] of Object.entries(PAGE_REQUESTS)) {
      const { ms, bytes, statuses } = await loadPage(service.base, questions);
      measurements[`${page}: ms`] = ms;
      measurements[`${page}: bytes`] = bytes;
      if (ms > pageMs) broken.push(`the page ${page} took ${ms} ms`);
      if (bytes > PAGE_BYTES) broken.push(`the page ${page} has ${bytes} bytes`);
      if (statuses.some((status) => status !== 200))
        broken.push(`the page ${page} got ${statuses.join(', ')}`);
    }
    const took = await health.stop();
    measurements['/healthz: median ms'] = quantile(took, 0.5);
    measurements['/healthz: 99th percentile ms'] = quantile(took, 0.99);
    measurements['/healthz: slowest ms'] = quantile(took, 1);
    measurements['memory of the service in MB'] = peakRssMb(service.pid);
    if (quantile(took, 0.99) > healthMs) broken.push(`/healthz took ${quantile(took, 0.99)} ms`);
    if (peakRssMb(service.pid) > megabytes) broken.push(`the service took ${peakRssMb(service.pid)} MB`);
  } finally {
    await service.stop();
  }
  return { broken, figures: measurements };
}

export const attacks: readonly Attack[] = [
  {
    title: 'a service answers while 2,200 connections hold bodies back',
    run: (size) =>
      size === 'full'
        ? attackWithSlowRequests(SLOW_ROUTES, RELEASE_DEADLINE_MS)
        : attackWithSlowRequests(SLOW_ROUTES.slice(0, 1), 5_000),
  },
  {
    title: 'one sender with an old token shuts out nobody at its address',
    run: (size) => attackWithStaleToken(size === 'full' ? 2_000 : 40),
  },
  {
    title: 'pages of a service answer whatever brings 5,000 names',
    sizes: ['short'],
    // Beside the rest of the suite: what is measured is that nothing stands still.
    run: () =>
      attackWithNames({
        names: 5_000,
        places: ['servers', 'catalogues'],
        pageMs: 15_000,
        healthMs: 5_000,
        megabytes: 600,
      }),
  },
  ...NAME_PLACES.map(
    (place): Attack => ({
      title: `pages of a service answer after 100,000 ${place}`,
      sizes: ['full'],
      run: () =>
        attackWithNames({ names: 100_000, places: [place], pageMs: 1_000, healthMs: 100, megabytes: 450 }),
    }),
  ),
];
