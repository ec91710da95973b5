// What a page of the dashboard costs over ten million calls: its queries at once, as a browser asks them, through the limits
// that the service puts on them, with nothing remembered from the load before. Time beside the engine's CPU time, which a busy
// machine changes less.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { z } from 'zod';
import { type Engine, startEngine } from '../../src/service/engine/engine.ts';
import { createQueries } from '../../src/service/queries/queries.ts';
import { EMBEDDED_READ_CONCURRENCY, limitReads } from '../../src/service/store/limit-reads.ts';
import { migrate } from '../../src/service/store/migrate.ts';
import { shareReads } from '../../src/service/store/share-reads.ts';
import { createStore, type Store } from '../../src/service/store/store.ts';
import { PAGES, type Page, type PageView, type Requests } from './pages.ts';
import { readCpuMs } from './process-cpu.ts';
import { formatStatements, measureStatements } from './statements.ts';
import { fillCalls } from './synthetic-calls.ts';

const HOUR_MS = 3_600_000;
export const RANGES: readonly (readonly [string, number])[] = [
  ['1h', HOUR_MS],
  ['24h', 24 * HOUR_MS],
  ['7d', 168 * HOUR_MS],
  ['30d', 720 * HOUR_MS],
];
export const FILTERS: readonly (readonly [string, PageView['filters']])[] = [
  ['all', {}],
  ['server', { server: 'wiki' }],
  ['client', { client: 'windsurf' }],
];

export interface QueriesBenchOptions {
  readonly calls: number;
  /** Each page is loaded so often for every range and filter. */
  readonly repeats: number;
  /** Kept and used again; a directory that goes away where it is left out. */
  readonly dataDirectory?: string | undefined;
  /** Only these pages. */
  readonly pages?: readonly string[] | undefined;
  /** Only these ranges and filters. */
  readonly ranges?: readonly string[] | undefined;
  readonly filters?: readonly string[] | undefined;
  /** What each statement costs the engine in place of how long each page takes. */
  readonly statements?: boolean | undefined;
  readonly say: (line: string) => void;
}

/** One page, or one request of it, over one range with one filter. */
export interface PageMeasurement {
  readonly page: string;
  /** Empty for the whole page. */
  readonly request: string;
  readonly range: string;
  readonly filter: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Of a single request that nothing else is asked beside. */
  readonly aloneP50Ms?: number | undefined;
  readonly aloneP95Ms?: number | undefined;
  /** Of the engine, for one load of the page; undefined for a single request. */
  readonly cpuMs?: number | undefined;
}

/** Fills an engine unless that was done before, then loads every page. */
export async function benchQueries(options: QueriesBenchOptions): Promise<PageMeasurement[]> {
  const { dataDirectory: kept, say } = options;
  const dataDirectory = kept ?? (await mkdtemp(join(tmpdir(), 'toolscope-bench-')));
  await mkdir(dataDirectory, { recursive: true });
  const log = pino({ level: 'silent' });
  const engine = await startEngine({ dataDirectory, log });
  const { url, username, password } = engine;
  const store = createStore({ url, username, password, database: 'toolscope', log });
  try {
    await migrate(store);
    const endMs = await fill(store, { ...options, dataDirectory });
    await waitForMerges(store, say);
    if (!options.statements) return await loadPages({ ...options, store, engine, endMs });
    await printStatements({ ...options, store, engine, endMs });
    return [];
  } finally {
    await store.close();
    await engine.stop();
    if (kept === undefined) await rm(dataDirectory, { recursive: true, force: true });
  }
}

async function fill(
  store: Store,
  { calls, dataDirectory, say }: QueriesBenchOptions & { readonly dataDirectory: string },
): Promise<number> {
  const note = join(dataDirectory, 'bench-filled.json');
  if (existsSync(note))
    return z.object({ endMs: z.number() }).parse(JSON.parse(readFileSync(note, 'utf8'))).endMs;
  const endMs = Math.floor(Date.now() / 60_000) * 60_000 - 20_000;
  const started = Date.now();
  await fillCalls(store, { calls, endMs, onDay: () => undefined });
  await writeFile(note, JSON.stringify({ endMs }));
  const [sizes] = await store.query({ sql: SIZES, row: SizesRow });
  say(
    `  filled in ${((Date.now() - started) / 1_000).toFixed(0)} s: ${sizes?.calls} requests, ${sizes?.sessions} sessions,` +
      ` ${sizes?.minutes} rows of minutes, ${sizes?.hours} of hours, ${((sizes?.bytes ?? 0) / 1e6).toFixed(0)} MB`,
  );
  return endMs;
}

const number = z.coerce.number();
const SizesRow = z.object({ calls: number, sessions: number, minutes: number, hours: number, bytes: number });
const SIZES = `
  SELECT
    sumIf(rows, table = 'calls') AS calls,
    sumIf(rows, table = 'sessions') AS sessions,
    sumIf(rows, table = 'tool_minutes') AS minutes,
    sumIf(rows, table = 'tool_hours') AS hours,
    sum(bytes_on_disk) AS bytes
  FROM system.parts
  WHERE active AND database = currentDatabase()`;

/** Merges of what was just written are no part of a query's cost. */
async function waitForMerges(store: Store, say: (line: string) => void): Promise<void> {
  const started = Date.now();
  for (let quiet = 0; quiet < 4 && Date.now() - started < 120_000; await delay(500)) {
    const [row] = await store.query({
      sql: 'SELECT count() AS n FROM system.merges',
      row: z.object({ n: number }),
    });
    quiet = row?.n === 0 ? quiet + 1 : 0;
  }
  say(`  merged in ${((Date.now() - started) / 1_000).toFixed(0)} s\n`);
}

interface LoadOptions extends QueriesBenchOptions {
  readonly store: Store;
  readonly engine: Engine;
  readonly endMs: number;
}

interface PageLoadOptions extends LoadOptions {
  readonly reader: ReturnType<typeof limitReads>;
  readonly page: Page;
  readonly view: Omit<PageView, 'range' | 'queries' | 'store' | 'nowMs'>;
}

async function loadPages(loading: LoadOptions): Promise<PageMeasurement[]> {
  const all: PageMeasurement[] = [];
  // One for all loads, as in the service: it knows what a statement took.
  const reader = limitReads(loading.store, EMBEDDED_READ_CONCURRENCY);
  for (const { page, range, filter, view } of listViews(loading)) {
    const measured = await loadPage({ ...loading, reader, page, view });
    const [whole, ...requests] = measured.map((one) => ({ ...one, page: page.name, range, filter }));
    if (whole) loading.say(formatPage(whole, requests));
    all.push(...(whole ? [whole] : []), ...requests);
  }
  return all;
}

async function printStatements({
  store,
  endMs,
  pages,
  ranges,
  filters,
  repeats,
  say,
}: LoadOptions): Promise<void> {
  const nowMs = endMs - 7_000;
  for (const { page, range, filter, view } of listViews({ pages, ranges, filters })) {
    const at = { ...view, nowMs, range: { fromMs: nowMs - view.lengthMs, toMs: nowMs } };
    for (const request of await requestNames(page, { ...at, store })) {
      const costs = await measureStatements(store, { page, view: at, request, repeats });
      say(formatStatements(`${page.name} ${range} ${filter}: ${request}`, costs));
    }
  }
}

async function requestNames(page: Page, view: Omit<PageView, 'queries'>): Promise<string[]> {
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  const queries = createQueries({ store: view.store, clock: () => view.nowMs, freshness });
  return Object.keys(await page.requests({ ...view, queries }));
}

type ViewSelection = Pick<QueriesBenchOptions, 'pages' | 'ranges' | 'filters'>;

/** Every page over each of its ranges with each of its filters. */
function listViews({ pages, ranges, filters }: ViewSelection) {
  const isWanted = (name: string, ...lists: readonly (readonly string[] | undefined)[]): boolean =>
    lists.every((list) => list?.includes(name) ?? true);
  return PAGES.filter(({ name }) => isWanted(name, pages)).flatMap((page) =>
    RANGES.filter(([range]) => isWanted(range, page.ranges, ranges)).flatMap(([range, lengthMs]) =>
      FILTERS.filter(([filter]) => isWanted(filter, page.filters, filters)).map(([filter, own]) => ({
        ...{ page, range, filter },
        view: { lengthMs, filters: own },
      })),
    ),
  );
}

type PageTimes = Omit<PageMeasurement, 'page' | 'range' | 'filter'>;

/** The first load is not measured: what the system reads from the disk then, it has in memory later. */
async function loadPage(loading: PageLoadOptions): Promise<PageTimes[]> {
  const { engine, repeats } = loading;
  const together = new RequestTimes();
  const alone = new RequestTimes();
  let cpuMs = 0;
  for (let at = -1; at < repeats; at += 1) {
    const before = engineCpuMs(engine);
    const loaded = await loadTogether(await createRequests(loading, at));
    if (at < 0) continue;
    cpuMs += engineCpuMs(engine) - before;
    for (const [name, ms] of loaded) together.note(name, ms);
  }
  for (let at = 0; at < repeats; at += 1) {
    for (const name of Object.keys(await createRequests(loading, at))) {
      const ask = (await createRequests(loading, at))[name];
      const started = performance.now();
      await ask?.();
      alone.note(name, performance.now() - started);
    }
  }
  return together
    .names()
    .map((request) => ({
      request,
      p50Ms: together.quantile(request, 0.5),
      p95Ms: together.quantile(request, 0.95),
      ...(request === ''
        ? { cpuMs: cpuMs / repeats }
        : { aloneP50Ms: alone.quantile(request, 0.5), aloneP95Ms: alone.quantile(request, 0.95) }),
    }))
    .sort((one, other) => (one.request === '' ? -1 : other.request === '' ? 1 : other.p50Ms - one.p50Ms));
}

/** All at once, as a browser does. The empty name is the whole page. */
async function loadTogether(requests: Requests): Promise<[string, number][]> {
  const started = performance.now();
  const times = await Promise.all(
    Object.entries(requests).map(async ([name, ask]): Promise<[string, number]> => {
      await ask();
      return [name, performance.now() - started];
    }),
  );
  return [...times, ['', performance.now() - started]];
}

/** Anew for every load: what a load shares is what its own requests have in common. */
async function createRequests({ store, reader, endMs, repeats, page, view }: PageLoadOptions, at: number) {
  const nowMs = endMs - (repeats - at) * 7_000;
  const queries = createQueries({
    store: shareReads(reader, { clock: () => performance.now(), maxAgeMs: 3_000 }),
    writer: store,
    clock: () => nowMs,
    freshness: () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 }),
  });
  const range = { fromMs: nowMs - view.lengthMs, toMs: nowMs };
  return page.requests({ ...view, range, queries, store, nowMs });
}

class RequestTimes {
  readonly #ms = new Map<string, number[]>();

  note(request: string, ms: number): void {
    this.#ms.set(request, [...(this.#ms.get(request) ?? []), ms]);
  }

  names(): string[] {
    return [...this.#ms.keys()];
  }

  quantile(request: string, level: number): number {
    return quantile(this.#ms.get(request) ?? [], level);
  }
}

/** Nearest rank. */
function quantile(values: readonly number[], level: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(level * sorted.length) - 1)] ?? Number.NaN;
}

const engineCpuMs = (engine: Engine): number => readCpuMs(engine.pid() ?? 0);

function formatPage(whole: PageMeasurement, requests: readonly PageMeasurement[]): string {
  const slow = requests
    .slice(0, 4)
    .map(({ request, p50Ms, p95Ms }) => `${request} ${p50Ms.toFixed(0)}/${p95Ms.toFixed(0)}`)
    .join(', ');
  const { page, range, filter, p50Ms, p95Ms, cpuMs } = whole;
  return (
    `  ${page.padEnd(10)} ${range.padStart(3)} ${filter.padEnd(6)} p50 ${p50Ms.toFixed(0).padStart(5)} p95 ${p95Ms.toFixed(0).padStart(5)} ms` +
    `  engine ${(cpuMs ?? 0).toFixed(0).padStart(5)} ms CPU   ${slow}`
  );
}
