// The pages whose script is loaded when they are opened. A new page gets a line here; the overview, which most
// readers open first, is part of the first script.
import { type ComponentType, lazy } from 'react';

interface LazyPage {
  /** The route, in the syntax of wouter. */
  readonly path: string;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

const PAGES: readonly LazyPage[] = [
  {
    path: '/tools',
    load: () => import('./tools/tools-page.tsx').then((page) => ({ default: page.ToolsPage })),
  },
  {
    path: '/tools/*',
    load: () => import('./tool/tool-page.tsx').then((page) => ({ default: page.ToolPage })),
  },
  {
    path: '/retirements/*',
    load: () => import('./retirement/retirement-page.tsx').then((page) => ({ default: page.RetirementPage })),
  },
  {
    path: '/sessions',
    load: () => import('./sessions/sessions-page.tsx').then((page) => ({ default: page.SessionsPage })),
  },
  {
    path: '/sessions/*',
    load: () => import('./session/session-page.tsx').then((page) => ({ default: page.SessionPage })),
  },
  {
    path: '/sessions-comparison',
    load: () =>
      import('./sessions/session-comparison-page.tsx').then((page) => ({
        default: page.SessionComparisonPage,
      })),
  },
  {
    path: '/agents/*',
    load: () => import('./agent/agent-page.tsx').then((page) => ({ default: page.AgentPage })),
  },
  {
    path: '/plans',
    load: () => import('./plans/plans-page.tsx').then((page) => ({ default: page.PlansPage })),
  },
  {
    path: '/plans/*',
    load: () => import('./plans/plan-page.tsx').then((page) => ({ default: page.PlanPage })),
  },
  {
    path: '/data-flow',
    load: () => import('./result-use/result-use-page.tsx').then((page) => ({ default: page.ResultUsePage })),
  },
  {
    path: '/incidents',
    load: () => import('./incidents/incidents-page.tsx').then((page) => ({ default: page.IncidentsPage })),
  },
  {
    path: '/comparison',
    load: () => import('./comparison/comparison-page.tsx').then((page) => ({ default: page.ComparisonPage })),
  },
  {
    path: '/errors',
    load: () => import('./errors/errors-page.tsx').then((page) => ({ default: page.ErrorsPage })),
  },
  {
    path: '/loops',
    load: () => import('./loops/loops-page.tsx').then((page) => ({ default: page.LoopsPage })),
  },
  {
    path: '/alerts',
    load: () => import('./alerts/alerts-page.tsx').then((page) => ({ default: page.AlertsPage })),
  },
  {
    path: '/alert-rules',
    load: () => import('./alert-rule/alert-rule-page.tsx').then((page) => ({ default: page.AlertRulePage })),
  },
  {
    path: '/alert-rules/*',
    load: () => import('./alert-rule/alert-rule-page.tsx').then((page) => ({ default: page.AlertRulePage })),
  },
  {
    path: '/calls',
    load: () => import('./calls/calls-page.tsx').then((page) => ({ default: page.CallsPage })),
  },
  {
    path: '/servers/*',
    load: () => import('./server/server-page.tsx').then((page) => ({ default: page.ServerPage })),
  },
  {
    path: '/clients',
    load: () => import('./clients/clients-page.tsx').then((page) => ({ default: page.ClientsPage })),
  },
  {
    path: '/add-server',
    load: () => import('./onboarding/add-server-page.tsx').then((page) => ({ default: page.AddServerPage })),
  },
  {
    path: '/administration',
    load: () =>
      import('./administration/administration-page.tsx').then((page) => ({
        default: page.AdministrationPage,
      })),
  },
  {
    path: '/settings',
    load: () => import('./settings/settings-page.tsx').then((page) => ({ default: page.SettingsPage })),
  },
];

export const LAZY_PAGES = PAGES.map(({ path, load }) => ({ path, component: lazy(load) }));

const PRELOAD_AFTER_MS = 2_000;

/**
 * Loads the scripts of all pages once the first page has had time to load, so that opening another page waits for
 * no request. Returns a function that cancels it.
 */
export function preloadPages(): () => void {
  const timer = setTimeout(() => {
    // A script that fails to load here is requested again, and its error is shown, when the page is opened.
    for (const { load } of PAGES) load().catch(() => undefined);
  }, PRELOAD_AFTER_MS);
  return () => clearTimeout(timer);
}
