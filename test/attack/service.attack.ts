// The service under connections that are held, tokens that are wrong, and names without end.
import { startService } from '../support/service.ts';
import type { Attack, AttackReport } from './attack.ts';
import { holdConnections } from './held-connections.ts';
import { quantile, watchHealth } from './watch-health.ts';

const TOKEN = 'the-token-that-opens-everything';

/** One after the other, since each opens more connections than the service takes. */
const HELD_ROUTES = ['POST /api/v1/login', 'GET /healthz', 'POST /v1/traces', 'POST /api/v1/annotations'];
const CONNECTIONS = 2_200;
/** A login has three seconds to arrive, other bodies ten, and whatever comes after an answer five. */
const RELEASED_MS = 16_000;

async function holdRoutes(routes: readonly string[], heldMs: number): Promise<AttackReport> {
  const service = await startService({ environment: { TOOLSCOPE_TOKEN: TOKEN } });
  const broken: string[] = [];
  const figures: Record<string, number> = {};
  try {
    for (const route of routes) {
      const health = watchHealth(service.base);
      const held = holdConnections(service.base, CONNECTIONS, route);
      await new Promise((resolve) => setTimeout(resolve, heldMs));
      const took = await health.stop();
      const left = held.open;
      held.close();
      const unanswered = took.filter((ms) => !Number.isFinite(ms)).length;
      figures[`${route}: median of /healthz in ms`] = quantile(took, 0.5);
      figures[`${route}: slowest in ms`] = quantile(took, 1);
      figures[`${route}: connections left`] = left;
      if (unanswered > 0) broken.push(`${route}: ${unanswered} of ${took.length} probes had no answer`);
      if (heldMs >= RELEASED_MS && left > 0) broken.push(`${route}: ${left} connections are still held`);
    }
  } finally {
    await service.stop();
  }
  return { broken, figures };
}

async function sendStaleToken(rounds: number): Promise<AttackReport> {
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

export const attacks: readonly Attack[] = [
  {
    title: 'a service answers while 2,200 connections hold bodies back',
    run: (size) =>
      size === 'full' ? holdRoutes(HELD_ROUTES, RELEASED_MS) : holdRoutes(HELD_ROUTES.slice(0, 1), 5_000),
  },
  {
    title: 'one sender with an old token shuts out nobody at its address',
    run: (size) => sendStaleToken(size === 'full' ? 2_000 : 40),
  },
];
