// In the place of a panel that shows only where it has something to show: nothing while its answer is quick, the usual
// states of waiting and failing where it is not. Its clock runs from the beginning.
import { useEffect, useState } from 'react';
import { Panel } from './panel.tsx';
import { QueryBoundary, type QueryResult } from './query-boundary.tsx';

const DEFER_MS = 1_000;

interface DeferredPanelProps {
  readonly result: QueryResult<unknown>;
  readonly title: string;
}

export function DeferredPanel({ result, title }: DeferredPanelProps) {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), DEFER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div hidden={!isShown && !result.error}>
      <Panel title={title}>
        <QueryBoundary result={result} skeletonRows={2} empty={() => undefined}>
          {() => null}
        </QueryBoundary>
      </Panel>
    </div>
  );
}
