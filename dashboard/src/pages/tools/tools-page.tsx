// The tools page: failing, slow, expensive and never-called tools, and advice, one tab each.
import { toQueryParams, useResource } from '../../api/queries.ts';
import { TOOLS_PARAMETERS, type ToolTab } from '../../paths.ts';
import { usePageState, useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { AllAdvice } from './all-advice.tsx';
import { CalledTools } from './called-tools.tsx';
import { NeverCalledPanel } from './never-called-panel.tsx';
import { filterByTab, prepareToolTableRows } from './prepare-tool-table-rows.ts';
import { RemovedTools, UnknownTools } from './removed-tools.tsx';
import { RetirementList } from './retirement-list.tsx';
import { ToolTabs } from './tool-tabs.tsx';

export function ToolsPage() {
  const view = useView();
  const { tab } = usePageState(TOOLS_PARAMETERS);
  return (
    <div className="page tools-page">
      <ToolTabs view={view} tab={tab} counts={useTabCounts(view)} />
      <TabContent view={view} tab={tab} />
    </div>
  );
}

function TabContent({ view, tab }: { readonly view: View; readonly tab: ToolTab | undefined }) {
  if (tab === 'never') {
    return (
      <>
        <h1 className="visually-hidden">Tools never called</h1>
        <NeverCalledPanel view={view} />
      </>
    );
  }
  if (tab === 'removed') return <RemovedTools view={view} />;
  if (tab === 'unknown') return <UnknownTools view={view} />;
  if (tab === 'retirement') return <RetirementList view={view} />;
  if (tab === 'advice') return <AllAdvice view={view} />;
  return <CalledTools key={tab ?? 'all'} view={view} tab={tab} />;
}

/** The counts of all tabs, from queries that the page runs anyway. */
function useTabCounts(view: View) {
  const tools = useResource('tools', toQueryParams(view)).data?.tools;
  const columns = useResource('toolColumns', toQueryParams(view)).data;
  const lines = tools && prepareToolTableRows(tools, columns?.columns);
  const count = (tab: ToolTab): number | undefined => lines && filterByTab(lines, tab).length;
  return {
    all: lines?.length,
    failing: count('failing'),
    slow: count('slow'),
    expensive: columns && count('expensive'),
    never: useResource('neverCalled', toQueryParams(view)).data?.tools.length,
    removed: columns?.removed.length,
    unknown: columns?.missing.length,
    retirement: useResource('retirements', { server: view.server }).data?.retirements.length,
    advice: useResource('advice', { ...toQueryParams(view), state: 'open' }).data?.advice.length,
  };
}
