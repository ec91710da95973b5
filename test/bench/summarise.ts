// What the loads of all pages come to: one line a page over all its ranges and filters, and every request beyond the budget.
import type { Measured } from './questions.ts';

export const BUDGET = { medianMs: 300, p95Ms: 1_000 } as const;

/** Lines for people. */
export function summarise(measured: readonly Measured[]): string[] {
  const pages = [...new Set(measured.map(({ page }) => page))];
  const requests = measured.filter(({ request }) => request !== '');
  const slow = requests.filter((one) => one.p50Ms > BUDGET.medianMs || one.p95Ms > BUDGET.p95Ms);
  return [
    '',
    `  by page, over its ranges and filters: requests within ${BUDGET.medianMs} ms median and ${BUDGET.p95Ms} ms p95`,
    ...pages.map((page) =>
      formatLine(
        page,
        requests.filter((one) => one.page === page),
        measured,
      ),
    ),
    '',
    slow.length === 0 ? '  no request is beyond the budget' : '  beyond the budget, median / p95 ms',
    ...slow
      .toSorted((one, other) => other.p50Ms - one.p50Ms)
      .map(
        ({ page, request, range, filter, p50Ms, p95Ms }) =>
          `  ${page.padEnd(10)} ${request.padEnd(17)} ${range.padStart(3)} ${filter.padEnd(6)} ${p50Ms.toFixed(0)} / ${p95Ms.toFixed(0)}`,
      ),
  ];
}

function formatLine(page: string, requests: readonly Measured[], measured: readonly Measured[]): string {
  const whole = measured.filter((one) => one.page === page && one.request === '');
  const within = requests.filter((one) => one.p50Ms <= BUDGET.medianMs && one.p95Ms <= BUDGET.p95Ms).length;
  const most = (of: 'p50Ms' | 'p95Ms' | 'cpuMs', among: readonly Measured[]) =>
    Math.max(...among.map((one) => one[of] ?? 0)).toFixed(0);
  return (
    `  ${page.padEnd(10)} ${String(within).padStart(3)} of ${String(requests.length).padEnd(3)}  slowest request ${most('p50Ms', requests)} / ${most('p95Ms', requests)} ms` +
    `  slowest page ${most('p50Ms', whole)} / ${most('p95Ms', whole)} ms  at most ${most('cpuMs', whole)} ms CPU of the engine`
  );
}
