// Compares two sessions: who ran them, how each ended, what each called, and where they diverge.
import { Link } from 'wouter';
import type { SessionResponse } from '../../../../src/contract/sessions.ts';
import { useSession } from '../../api/queries.ts';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { type SessionRef, sessionsPath } from '../../paths.ts';
import { useSearchParam, useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { SessionComparisonPanels } from './session-comparison-panels.tsx';

export function SessionComparisonPage() {
  const view = useView();
  const a = useSessionRef('a');
  const b = useSessionRef('b');
  return (
    <div className="page compared-page">
      <Link href={sessionsPath(view)} className="back">
        All sessions
      </Link>
      {a && b ? <LoadedSessions a={a} b={b} view={view} /> : <MissingSession view={view} one={a ?? b} />}
    </div>
  );
}

function useSessionRef(side: 'a' | 'b'): SessionRef | undefined {
  const [id, of] = [useSearchParam(side), useSearchParam(`${side}Of`)];
  return id && of ? { id, of } : undefined;
}

function MissingSession({ view, one }: { readonly view: View; readonly one: SessionRef | undefined }) {
  return (
    <div className="state empty">
      <h1 className="quiet-heading">Select two sessions to compare.</h1>
      <Link className="button" href={sessionsPath(view, {}, one)}>
        Select {one ? 'the second session' : 'sessions'}
      </Link>
    </div>
  );
}

interface LoadedSessionsProps {
  readonly a: SessionRef;
  readonly b: SessionRef;
  readonly view: View;
}

function LoadedSessions({ a, b, view }: LoadedSessionsProps) {
  const [one, other] = [useSession(a.id, a.of), useSession(b.id, b.of)];
  return (
    <QueryBoundary result={one} skeletonRows={8} empty={() => undefined}>
      {({ pages: [first] }) => (
        <QueryBoundary result={other} skeletonRows={8} empty={() => undefined}>
          {({ pages: [second] }) => <ComparisonContent a={first} b={second} view={view} />}
        </QueryBoundary>
      )}
    </QueryBoundary>
  );
}

interface ComparisonContentProps {
  readonly a: SessionResponse | undefined;
  readonly b: SessionResponse | undefined;
  readonly view: View;
}

function ComparisonContent({ a, b, view }: ComparisonContentProps) {
  return a && b ? <SessionComparisonPanels a={a} b={b} view={view} /> : null;
}
