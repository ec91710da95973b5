// Is my server healthy? The sentence is the answer; three charts on one time axis and two lists are its proof.
import { type ReactNode, useMemo } from 'react';
import type { SummaryAnswer } from '../../../src/contract/answers.ts';
import { useSummary, useTools } from '../api/questions.ts';
import { prepareSlots } from '../charts/prepare-slots.ts';
import { Nothing, useNothingWords } from '../components/nothing.tsx';
import { Shell } from '../components/shell.tsx';
import { formatAgo } from '../format/format-duration.ts';
import { useNow } from '../view/use-now.ts';
import { useView } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { CallRatePanel } from './call-rate-panel.tsx';
import { ErrorRatePanel } from './error-rate-panel.tsx';
import { FreshnessStrip } from './freshness-strip.tsx';
import { LatencyPanel } from './latency-panel.tsx';
import { LongSessionsPanel } from './long-sessions-panel.tsx';
import { LoopsPanel } from './loops-panel.tsx';
import { NeverCalledPanel } from './never-called-panel.tsx';
import { AttentionPanel } from './overview/attention-panel.tsx';
import { ChangesPanel } from './overview/changes-panel.tsx';
import { ClientsPanel } from './overview/clients-panel.tsx';
import { HeatPanel } from './overview/heat-panel.tsx';
import { NowLine } from './overview/now-line.tsx';
import { ProtocolStrip } from './overview/protocol-strip.tsx';
import { VerdictRule } from './overview/verdict-rule.tsx';
import { Tiles } from './tiles.tsx';
import { VerdictLine } from './verdict.tsx';

export function OverviewPage() {
  const view = useView();
  const summary = useSummary(view);
  const tools = useTools(view);
  return (
    <div className="page overview">
      <Shell asked={summary} rows={3} empty={() => undefined}>
        {(answer) => (
          <>
            <VerdictLine summary={answer} tools={tools.data?.tools ?? []} view={view} />
            <NowLine summary={answer} view={view} />
            <VerdictRule summary={answer} />
            <FreshnessStrip freshness={answer.freshness} />
            {answer.totals.calls === 0 ? <NothingHere summary={answer} view={view} /> : null}
            <Tiles summary={answer} view={view} />
          </>
        )}
      </Shell>
      <Panels view={view} isQuiet={summary.data?.totals.calls === 0} />
    </div>
  );
}

interface PanelsProps {
  readonly view: View;
  /** Nothing was called: charts and tables of calls would each say so once more. */
  readonly isQuiet: boolean;
}

function Panels({ view, isQuiet }: PanelsProps) {
  const looks = (
    <div className="pair">
      <AttentionPanel view={view} />
      <ChangesPanel view={view} />
    </div>
  );
  if (!isQuiet) return <CallPanels view={view}>{looks}</CallPanels>;
  return (
    <>
      {looks}
      <NeverCalledPanel view={view} most={8} />
    </>
  );
}

function CallPanels({ view, children }: { readonly view: View; readonly children: ReactNode }) {
  const tools = useTools(view);
  const slots = useMemo(() => prepareSlots(tools.data?.tools ?? []), [tools.data]);
  const props = { view, tools, slots };
  return (
    <>
      {children}
      <CallRatePanel {...props} />
      <ErrorRatePanel {...props} />
      <LatencyPanel {...props} />
      <div className="pair">
        <HeatPanel view={view} tools={tools.data?.tools ?? []} />
        <ProtocolStrip view={view} />
      </div>
      <ClientsPanel view={view} />
      <LoopsPanel view={view} />
      <div className="pair">
        <NeverCalledPanel view={view} most={8} />
        <LongSessionsPanel view={view} />
      </div>
    </>
  );
}

/** The range or the filters hold nothing, though something was received: says which, and offers the way out. */
function NothingHere({ summary, view }: { readonly summary: SummaryAnswer; readonly view: View }) {
  const words = useNothingWords(view);
  const nowMs = useNow(60_000);
  const { lastEventAt } = summary.freshness;
  if (!lastEventAt) return null;
  return (
    <div className="state empty">
      <Nothing view={view}>
        <p>
          No calls{words}. The last event came {formatAgo(Date.parse(lastEventAt), nowMs)}.
        </p>
      </Nothing>
    </div>
  );
}
