// Data flow: which results fed which arguments of later calls, as far as servers can tell without sending values.
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { ResultUseResponse } from '../../../../src/contract/result-use.ts';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { prepareColourSlots } from '../../charts/prepare-colour-slots.ts';
import { EmptyState, useViewDescription } from '../../components/empty-state.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { formatPlural, formatRate } from '../../format/format-number.ts';
import { sessionsPath } from '../../paths.ts';
import { useRangeText } from '../../view/use-range-text.ts';
import { useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { ResultUseRatePanel } from '../overview/rate-panels.tsx';
import {
  EdgesPanel,
  ToolUsePanel,
  UnsourcedPanel,
  UnusedFieldsPanel,
  UseOverTimePanel,
} from './result-use-panels.tsx';

export function ResultUsePage() {
  const view = useView();
  const range = useRangeText(view);
  const result = useResource('resultUse', toQueryParams(view));
  return (
    <div className="page result-use">
      <Link href={sessionsPath(view)} className="back">
        All sessions
      </Link>
      <QueryBoundary
        result={result}
        skeletonRows={10}
        empty={(response) => (isKnown(response) ? undefined : <NothingKnown view={view} />)}
      >
        {(response) => (
          <>
            <h1>
              {describeUse(response)} {range}.
            </h1>
            <p className="muted">
              {describeWindow(response)}A server compares the values of a session in its own process and sends
              only names of fields. Whether an agent used a result in its words cannot be seen.
            </p>
            <EdgesPanel response={response} />
            <ToolUsePanel response={response} view={view} />
            <UnsourcedPanel response={response} view={view} />
            <UnusedFieldsPanel response={response} view={view} />
            <RateOverTime view={view} />
            <UseOverTimePanel response={response} nowMs={result.dataUpdatedAt} />
          </>
        )}
      </QueryBoundary>
    </div>
  );
}

/** By tool over time, and by client and server version. */
function RateOverTime({ view }: { readonly view: View }) {
  const tools = useResource('tools', toQueryParams(view));
  const slots = useMemo(() => prepareColourSlots(tools.data?.tools ?? []), [tools.data]);
  return <ResultUseRatePanel {...{ view, tools, slots }} />;
}

function isKnown({ tools, edges, unsourcedArguments }: ResultUseResponse): boolean {
  return tools.length + edges.length + unsourcedArguments.length > 0;
}

function describeUse({ used }: ResultUseResponse): string {
  if (used.value === null) return 'No result with values that can be recognised';
  return `${formatRate(used.value)} of ${formatPlural(used.n, 'result')} fed later calls`;
}

function describeWindow({ window }: ResultUseResponse): string {
  return window.isWhole ? '' : `Of the newest ${formatPlural(window.calls, 'call')}. `;
}

function NothingKnown({ view }: { readonly view: View }) {
  const viewDescription = useViewDescription(view);
  return (
    <EmptyState view={view}>
      <h1 className="quiet-heading">No call says where its arguments came from{viewDescription}.</h1>
      <p className="muted">
        Only <code>observe()</code> and <code>toolscope wrap</code> tell, in capture modes other than{' '}
        <code>none</code>, for requests with a session.
      </p>
    </EmptyState>
  );
}
