// Is my server healthy? The sentence is the answer; three charts on one time axis and two lists are its proof.
import { useMemo } from 'react';
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
            <VerdictRule summary={answer} />
            <FreshnessStrip freshness={answer.freshness} />
            {answer.totals.calls === 0 ? <NothingHere summary={answer} view={view} /> : null}
            <Tiles summary={answer} view={view} />
          </>
        )}
      </Shell>
      <Panels view={view} />
    </div>
  );
}

function Panels({ view }: { readonly view: View }) {
  const tools = useTools(view);
  const slots = useMemo(() => prepareSlots(tools.data?.tools ?? []), [tools.data]);
  const props = { view, tools, slots };
  return (
    <>
      <div className="pair">
        <AttentionPanel view={view} />
        <ChangesPanel view={view} />
      </div>
      <CallRatePanel {...props} />
      <ErrorRatePanel {...props} />
      <LatencyPanel {...props} />
      <div className="pair">
        <HeatPanel view={view} tools={tools.data?.tools ?? []} />
        <ClientsPanel view={view} />
      </div>
      <ProtocolStrip view={view} />
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
