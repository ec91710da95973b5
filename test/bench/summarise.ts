// What the loads of all pages come to: one line a page over all its ranges and filters, and every request beyond the budget. A
// request is held to the budget twice: asked by itself, and among all of its page.
import type { PageMeasurement } from './queries.ts';

export const BUDGET = { medianMs: 300, p95Ms: 1_000 } as const;

interface RequestLatency {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

const readConcurrent = ({ p50Ms, p95Ms }: PageMeasurement): RequestLatency => ({ p50Ms, p95Ms });
const readAlone = ({
  aloneP50Ms = Number.NaN,
  aloneP95Ms = Number.NaN,
}: PageMeasurement): RequestLatency => ({
  p50Ms: aloneP50Ms,
  p95Ms: aloneP95Ms,
});

/** Lines for people. */
export function summarise(measured: readonly PageMeasurement[]): string[] {
  const requests = measured.filter(({ request }) => request !== '');
  return [
    ...summariseBy(readAlone, 'each request asked by itself', requests),
    ...summariseBy(readConcurrent, 'all requests of a page at once', requests),
    '',
    '  whole pages, all requests at once',
    ...listPages(measured).map((page) =>
      formatPages(
        page,
        measured.filter((one) => one.page === page && one.request === ''),
      ),
    ),
  ];
}

function summariseBy(
  read: (one: PageMeasurement) => RequestLatency,
  how: string,
  requests: readonly PageMeasurement[],
): string[] {
  const slow = requests.filter((one) => !isWithin(read(one)));
  return [
    '',
    `  ${how}: within ${BUDGET.medianMs} ms median and ${BUDGET.p95Ms} ms p95`,
    ...listPages(requests).map((page) =>
      formatRequests(page, requests.filter((one) => one.page === page).map(read)),
    ),
    formatRequests('all', requests.map(read)),
    slow.length === 0 ? '  no request is beyond the budget' : '  beyond the budget, median / p95 ms',
    ...slow
      .toSorted((one, other) => read(other).p50Ms - read(one).p50Ms)
      .map((one) => {
        const { p50Ms, p95Ms } = read(one);
        const { page, request, range, filter } = one;
        return `    ${page.padEnd(10)} ${request.padEnd(17)} ${range.padStart(3)} ${filter.padEnd(6)} ${p50Ms.toFixed(0)} / ${p95Ms.toFixed(0)}`;
      }),
  ];
}

function isWithin({ p50Ms, p95Ms }: RequestLatency): boolean {
  return p50Ms <= BUDGET.medianMs && p95Ms <= BUDGET.p95Ms;
}

function listPages(measured: readonly PageMeasurement[]): string[] {
  return [...new Set(measured.map(({ page }) => page))];
}

function formatRequests(page: string, readings: readonly RequestLatency[]): string {
  const medians = readings.map(({ p50Ms }) => p50Ms).toSorted((one, other) => one - other);
  const at = (level: number) =>
    (medians[Math.max(0, Math.ceil(level * medians.length) - 1)] ?? Number.NaN).toFixed(0);
  return (
    `    ${page.padEnd(10)} ${String(readings.filter(isWithin).length).padStart(4)} of ${String(readings.length).padEnd(4)}` +
    `  of their medians p50 ${at(0.5)} p95 ${at(0.95)} most ${at(1)} ms  longest p95 ${Math.max(...readings.map(({ p95Ms }) => p95Ms)).toFixed(0)} ms`
  );
}

function formatPages(page: string, whole: readonly PageMeasurement[]): string {
  const most = (of: 'p50Ms' | 'p95Ms' | 'cpuMs') => Math.max(...whole.map((one) => one[of] ?? 0)).toFixed(0);
  return `    ${page.padEnd(10)} slowest ${most('p50Ms')} / ${most('p95Ms')} ms, at most ${most('cpuMs')} ms CPU of the engine`;
}
