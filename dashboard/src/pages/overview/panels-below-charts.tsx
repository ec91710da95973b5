// The overview below its charts. Loaded after the rest, because a reader sees the verdict and the charts first.
import type { ToolsResponse } from '../../../../src/contract/tools.ts';
import type { View } from '../../view/view.ts';
import { NeverCalledPanel } from '../tools/never-called-panel.tsx';
import { ClientsPanel } from './clients-panel.tsx';
import { GuardPanel } from './guard-panel.tsx';
import { HeatmapPanel } from './heatmap-panel.tsx';
import { LongSessionsPanel } from './long-sessions-panel.tsx';
import { LoopsPanel } from './loops-panel.tsx';
import { ProtocolPanel } from './protocol-panel.tsx';

interface PanelsBelowChartsProps {
  readonly view: View;
  readonly tools: ToolsResponse['tools'];
}

export function PanelsBelowCharts({ view, tools }: PanelsBelowChartsProps) {
  return (
    <>
      <div className="pair">
        <HeatmapPanel view={view} tools={tools} />
        <ProtocolPanel view={view} />
      </div>
      <ClientsPanel view={view} />
      <LoopsPanel view={view} />
      <GuardPanel view={view} />
      <div className="pair">
        <NeverCalledPanel view={view} maxRows={8} />
        <LongSessionsPanel view={view} />
      </div>
    </>
  );
}
