// The fortnight itself: which agent visits which server when, and when the shop is deployed. The same seed plays the same.
import type { OtlpSpan } from '../../../src/core/otlp/span.ts';
import { BILLING, BILLING_TOOLS, visitBilling } from './billing.ts';
import { type CallLog, createCallLog } from './call-log.ts';
import { DEPOT, DEPOT_TOOLS, visitDepot } from './depot.ts';
import { createSimulationRandom, type SimulationRandom } from './random.ts';
import { type SimulatedAgent, type SimulationContext, startServerProcess } from './server-process.ts';
import { SHOP, visitOldShop, visitShop } from './shop.ts';
import { SHOP_AFTER, SHOP_BEFORE } from './shop-tools.ts';
import { mergeTickets, TICKET_TOOLS, TICKETS, visitTickets } from './tickets.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 14;
/** Day of the deploy that changes definitions, and of the one that mends a handler and changes none. */
const DEPLOY_DAY = 9;
const FIX_DAY = 10;
const VISITS_PER_DAY = 6;
const DEPOT_VISITS_PER_DAY = 3;
const CLIENTS = ['cursor', 'claude-desktop', 'in-house'] as const;

export interface Simulation {
  readonly fromMs: number;
  readonly deployMs: number;
  /** Three days after the deploy, two after the fix: little has happened since. */
  readonly soonMs: number;
  readonly toMs: number;
  readonly ledger: CallLog;
  /** What was sent before the deploy, until soon after it, and later; oldest first. */
  readonly before: readonly OtlpSpan[];
  readonly soon: readonly OtlpSpan[];
  readonly later: readonly OtlpSpan[];
}

interface ScheduledVisit {
  readonly startMs: number;
  readonly go: (client: string, startMs: number) => void;
}

/** It came an hour before the deploy, and goes on for hours after the first visit to the new process. */
function visitOldVersion(agent: SimulatedAgent, random: SimulationRandom): void {
  agent.wait(8 * HOUR);
  visitOldShop(agent, random);
}

/** Three visits a day; with random numbers of its own, so that it changes nothing of the other servers. */
function runDepot(fromMs: number, { values, ledger, spans }: SimulationContext): void {
  const random = createSimulationRandom(4_711);
  const depot = startServerProcess(
    { server: DEPOT, version: '3.1.0', transport: 'http', tools: DEPOT_TOOLS },
    { random, values, ledger, spans },
  );
  for (let nth = 0; nth < DAYS * DEPOT_VISITS_PER_DAY; nth++) {
    const day = Math.floor(nth / DEPOT_VISITS_PER_DAY);
    const hour = 2 + 5 * (nth % DEPOT_VISITS_PER_DAY);
    const startMs = fromMs + day * DAY + hour * HOUR + random.between(0, HOUR);
    visitDepot(depot(random.pick(CLIENTS), startMs), random, { day, nth });
  }
}

/** @param endMs when it ends; the last visit is over by then, and long enough ago to be whole */
export function runSimulation(endMs: number): Simulation {
  const fromMs = Math.floor((endMs - DAYS * DAY) / HOUR) * HOUR;
  const deployMs = fromMs + DEPLOY_DAY * DAY;
  const soonMs = fromMs + (FIX_DAY + 2) * DAY;
  const world: SimulationContext = {
    random: createSimulationRandom(20_260),
    values: createSimulationRandom(1_309),
    ledger: createCallLog(),
    spans: [],
  };
  const { random } = world;
  const oldShop = startServerProcess(
    { server: SHOP, version: '1.9.2', transport: 'http', tools: SHOP_BEFORE },
    world,
  );
  const newShop = startServerProcess(
    { server: SHOP, version: '1.10.0', transport: 'http', tools: SHOP_AFTER },
    world,
  );
  const fixedShop = startServerProcess(
    { server: SHOP, version: '1.10.1', transport: 'http', tools: SHOP_AFTER },
    world,
  );
  const tickets = startServerProcess(
    { server: TICKETS, version: '2.0.0', transport: 'stdio', tools: TICKET_TOOLS },
    world,
  );
  const billing = startServerProcess(
    { server: BILLING, version: '0.9.1', transport: 'stdio', tools: BILLING_TOOLS },
    world,
  );
  const visits: ScheduledVisit[] = [];
  /** Visits of one server begin hours apart, so that each one's listing is sent. */
  const plan = (day: number, n: number, go: ScheduledVisit['go']): void => {
    const startMs = fromMs + day * DAY + 2 * HOUR + n * 3 * HOUR + random.between(0, HOUR);
    visits.push({ startMs, go });
  };
  for (let day = 0; day < DAYS; day++) {
    const isAfter = day >= DEPLOY_DAY;
    for (let n = 0; n < VISITS_PER_DAY; n++) {
      const knowsOld = isAfter && day < DEPLOY_DAY + 2 && n % 2 === 0;
      const isFixed = day >= FIX_DAY;
      const shop = isFixed ? fixedShop : isAfter ? newShop : oldShop;
      plan(day, n, (client, startMs) =>
        visitShop(shop(client, startMs), random, { isAfter, isFixed, knowsOld }),
      );
      plan(day, n, (client, startMs) => visitTickets(tickets(client, startMs), random));
      plan(day, n, (client, startMs) => visitBilling(billing(client, startMs), random));
    }
  }
  plan(4, VISITS_PER_DAY, (client, startMs) => mergeTickets(tickets(client, startMs), random));
  visits.push({
    startMs: deployMs - HOUR,
    go: (client, startMs) => visitOldVersion(oldShop(client, startMs), random),
  });
  for (const { startMs, go } of visits.sort((one, other) => one.startMs - other.startMs))
    go(random.pick(CLIENTS), startMs);
  runDepot(fromMs, world);
  const spans = world.spans.sort((one, other) => one.startUs - other.startUs);
  return {
    ...{ fromMs, deployMs, soonMs, toMs: fromMs + DAYS * DAY, ledger: world.ledger },
    before: spans.filter(({ startUs }) => startUs < deployMs * 1_000),
    soon: spans.filter(({ startUs }) => startUs >= deployMs * 1_000 && startUs < soonMs * 1_000),
    later: spans.filter(({ startUs }) => startUs >= soonMs * 1_000),
  };
}
