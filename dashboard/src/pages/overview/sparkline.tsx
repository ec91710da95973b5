// The sparkline of a tile. Decorative: the charts show the same data with its numbers.
import { useId } from 'react';
import type { SparklinePaths } from './prepare-sparkline.ts';

export function Sparkline({ paths }: { readonly paths: SparklinePaths }) {
  const id = useId();
  const { line, running, runningFrom } = paths;
  if (line === '' && running === '') return <span className="spark" aria-hidden="true" />;
  return (
    <svg className="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <defs>
        <pattern id={id} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path d="M0 0v4" className="hatch" />
        </pattern>
      </defs>
      {runningFrom === undefined ? null : (
        <rect x={runningFrom} y="0" width={100 - runningFrom} height="24" fill={`url(#${id})`} />
      )}
      <path d={line} />
      <path d={running} className="running" />
    </svg>
  );
}
