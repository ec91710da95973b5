// The placeholder of a panel that appears only when it has content: nothing while its query is fast, the
// usual loading and error states when it is slow. The elapsed time counts from the start of the query.
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
