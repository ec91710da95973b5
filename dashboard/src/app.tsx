// The layout and the routes. Before any page come the choice of a range when the URL has none, the login page
// when the service requires a token, and onboarding when it has never received anything.
import { lazy, Suspense, useEffect } from 'react';
import { Link, Route, Switch } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { UnauthorizedError } from './api/fetch-resource.ts';
import { useSummary } from './api/queries.ts';
import { useAutoRange } from './api/use-auto-range.ts';
import { FilterBar } from './components/filter-bar.tsx';
import { KeyboardShortcuts } from './components/keyboard-shortcuts.tsx';
import { NavigationRail } from './components/navigation-rail.tsx';
import { PageErrorBoundary } from './components/page-error-boundary.tsx';
import { ServiceNotice } from './components/service-notice.tsx';
import { LAZY_PAGES, preloadPages } from './pages/lazy-pages.ts';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { overviewPath } from './paths.ts';
import { AutoRangeFromContext, useView } from './view/use-view.ts';

const TITLES: readonly (readonly [string, string])[] = [
  ['/tools/', 'Tool'],
  ['/tools', 'Tools'],
  ['/sessions-comparison', 'Session comparison'],
  ['/sessions/', 'Session'],
  ['/sessions', 'Sessions'],
  ['/retirements/', 'Retirement'],
  ['/agents/', 'Agent'],
  ['/plans/', 'Plan'],
  ['/plans', 'Plans'],
  ['/data-flow', 'Data flow'],
  ['/comparison', 'Comparison'],
  ['/incidents', 'Incidents'],
  ['/errors', 'Errors'],
  ['/loops', 'Loops'],
  ['/alerts', 'Alerts'],
  ['/alert-rules', 'Alert rule'],
  ['/calls', 'Calls'],
  ['/servers/', 'Server'],
  ['/clients', 'Clients'],
  ['/add-server', 'Add a server'],
  ['/administration', 'Administration'],
  ['/settings', 'Settings'],
];

const PAGES_WITHOUT_RANGE = ['/settings', '/alerts', '/add-server', '/administration'];

export function App() {
  const { from, error } = useAutoRange();
  if (error instanceof UnauthorizedError) return <Login />;
  if (from === undefined) return <AutoRangeLoading />;
  return (
    <AutoRangeFromContext value={from}>
      <AppLayout />
    </AutoRangeFromContext>
  );
}

/** Empty at first; a slow request shows its progress. */
function AutoRangeLoading() {
  return (
    <div className="frame">
      <NavigationRail />
      <main id="content">
        <ServiceNotice />
        <output className="visually-hidden">Loading</output>
      </main>
    </div>
  );
}

function AppLayout() {
  const { from, to } = useView();
  const summary = useSummary({ from, to });
  const pathname = usePathname();
  // These pages have no range: they are about the reader, the service, or the present of all servers.
  const isWithoutBar = PAGES_WITHOUT_RANGE.includes(pathname) || pathname.startsWith('/alert-rules');
  const isAboutService = isWithoutBar && pathname !== '/alerts';
  useEffect(() => {
    const title = TITLES.find(([start]) => pathname.startsWith(start))?.[1] ?? 'Overview';
    document.title = `${title} · Toolscope`;
  }, [pathname]);
  if (summary.error instanceof UnauthorizedError) return <Login />;
  const isNew = summary.data?.freshness.lastEventAt === null;
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <NavigationRail />
      <KeyboardShortcuts />
      <div className="column">
        <ServiceNotice />
        {isNew || isWithoutBar ? null : <FilterBar />}
        <main id="content" tabIndex={-1}>
          {isNew && !isAboutService ? <FirstVisit /> : <PageRoutes />}
        </main>
      </div>
    </div>
  );
}

/** Most visits are to a service with data, so its script is loaded when there is none. */
const OnboardingPage = lazy(() =>
  import('./pages/onboarding/onboarding-page.tsx').then((page) => ({ default: page.OnboardingPage })),
);

/** Most services have no token, and a reader logs in once. */
const LoginPage = lazy(() =>
  import('./pages/login/login-page.tsx').then((page) => ({ default: page.LoginPage })),
);

function Login() {
  return (
    <Suspense fallback={<output className="visually-hidden">Loading</output>}>
      <LoginPage />
    </Suspense>
  );
}

function FirstVisit() {
  return (
    <Suspense fallback={<output className="visually-hidden">Loading</output>}>
      <OnboardingPage />
    </Suspense>
  );
}

function PageRoutes() {
  useEffect(preloadPages, []);
  return (
    <PageErrorBoundary key={usePathname()}>
      <Suspense fallback={<output className="visually-hidden">Loading</output>}>
        <Switch>
          <Route path="/" component={OverviewPage} />
          {LAZY_PAGES.map(({ path, component }) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </PageErrorBoundary>
  );
}

function NotFoundPage() {
  const view = useView();
  return (
    <div className="page">
      <h1>There is no page at this address.</h1>
      <p>
        <Link href={overviewPath(view)}>To the overview</Link>
      </p>
    </div>
  );
}
