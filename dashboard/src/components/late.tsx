// In the place of a panel that shows only where it has something to show: nothing while its answer is quick, the usual
// states of waiting and failing where it is not. Its clock runs from the beginning.
import { useEffect, useState } from 'react';
import { Panel } from './panel.tsx';
import { type Asked, Shell } from './shell.tsx';

const LATE_MS = 1_000;

interface LateProps {
  readonly asked: Asked<unknown>;
  readonly title: string;
}

export function Late({ asked, title }: LateProps) {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div hidden={!isLate && !asked.error}>
      <Panel title={title}>
        <Shell asked={asked} rows={2} empty={() => undefined}>
          {() => null}
        </Shell>
      </Panel>
    </div>
  );
}
