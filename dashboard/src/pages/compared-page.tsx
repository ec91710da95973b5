// Two sessions side by side: who they were, how each came out, what each called, and where they part.
import { Link } from 'wouter';
import type { SessionAnswer } from '../../../src/contract/answers.ts';
import { useSession } from '../api/questions.ts';
import { Shell } from '../components/shell.tsx';
import { type SessionName, sessionsPath } from '../paths.ts';
import { useOwn, useView } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { ComparedPanels } from './compared-panels.tsx';

export function ComparedPage() {
  const view = useView();
  const a = useName('a');
  const b = useName('b');
  return (
    <div className="page compared-page">
      <Link href={sessionsPath(view)} className="back">
        All sessions
      </Link>
      {a && b ? <Both a={a} b={b} view={view} /> : <Incomplete view={view} one={a ?? b} />}
    </div>
  );
}

/** One of the two sessions that the address names. */
function useName(side: 'a' | 'b'): SessionName | undefined {
  const [id, of] = [useOwn(side), useOwn(`${side}Of`)];
  return id && of ? { id, of } : undefined;
}

function Incomplete({ view, one }: { readonly view: View; readonly one: SessionName | undefined }) {
  return (
    <div className="state empty">
      <h1 className="quiet-heading">Two sessions are needed to compare.</h1>
      <Link className="button" href={sessionsPath(view, {}, one)}>
        Choose {one ? 'the other one' : 'them'}
      </Link>
    </div>
  );
}

interface BothProps {
  readonly a: SessionName;
  readonly b: SessionName;
  readonly view: View;
}

function Both({ a, b, view }: BothProps) {
  const [one, other] = [useSession(a.id, a.of), useSession(b.id, b.of)];
  return (
    <Shell asked={one} rows={8} empty={() => undefined}>
      {({ pages: [first] }) => (
        <Shell asked={other} rows={8} empty={() => undefined}>
          {({ pages: [second] }) => <Told a={first} b={second} view={view} />}
        </Shell>
      )}
    </Shell>
  );
}

interface ToldProps {
  readonly a: SessionAnswer | undefined;
  readonly b: SessionAnswer | undefined;
  readonly view: View;
}

function Told({ a, b, view }: ToldProps) {
  return a && b ? <ComparedPanels a={a} b={b} view={view} /> : null;
}
