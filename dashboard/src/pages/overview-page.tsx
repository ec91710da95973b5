// Is my server healthy? The sentence is the answer; three charts on one time axis and two lists are its proof.
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { SummaryAnswer } from '../../../src/contract/answers.ts';
import { useSummary, useTools } from '../api/questions.ts';
import { prepareSlots } from '../charts/prepare-slots.ts';
import { Shell } from '../components/shell.tsx';
import { formatAgo } from '../format/format-duration.ts';
import { formatRange } from '../format/format-range.ts';
import { overviewPath } from '../paths.ts';
import { useZone } from '../view/preferences.ts';
import { useNow } from '../view/use-now.ts';
import { useView } from '../view/use-view.ts';
import { activeFilters, rangeOf, type View, withRange } from '../view/view.ts';
import { CallRatePanel } from './call-rate-panel.tsx';
import { ErrorRatePanel } from './error-rate-panel.tsx';
import { FreshnessStrip } from './freshness-strip.tsx';
import { LatencyPanel } from './latency-panel.tsx';
import { LongSessionsPanel } from './long-sessions-panel.tsx';
import { LoopsPanel } from './loops-panel.tsx';
import { NeverCalledPanel } from './never-called-panel.tsx';
import { ChangesPanel } from './overview/changes-panel.tsx';
import { HeatPanel } from './overview/heat-panel.tsx';
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
            <VerdictRule summary={answer} view={view} />
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
      <div className="pair wide">
        <ChangesPanel view={view} />
        <HeatPanel view={view} tools={tools.data?.tools ?? []} />
      </div>
      <LoopsPanel view={view} />
      <CallRatePanel {...props} />
      <ErrorRatePanel {...props} />
      <LatencyPanel {...props} />
      <div className="pair">
        <NeverCalledPanel view={view} most={8} />
        <LongSessionsPanel view={view} />
      </div>
    </>
  );
}

interface NothingHereProps {
  readonly summary: SummaryAnswer;
  readonly view: View;
}

/** The range or the filters hold nothing, though something was received: says which, and offers the way out. */
function NothingHere({ summary, view }: NothingHereProps) {
  const [, navigate] = useLocation();
  const zone = useZone();
  const nowMs = useNow(60_000);
  const { lastEventAt } = summary.freshness;
  if (!lastEventAt) return null;
  const filters = activeFilters(view);
  const lastMs = Date.parse(lastEventAt);
  const isWithin = lastMs >= summary.range.fromMs && lastMs <= summary.range.toMs;
  return (
    <div className="state empty way-out">
      <p>
        No calls{filters.map(([name, value]) => ` with ${name} ${value}`).join(' and')}{' '}
        {formatRange(view, { nowMs, zone })}. The last event came {formatAgo(lastMs, nowMs)}.
      </p>
      {filters.length > 0 ? (
        <button type="button" className="button" onClick={() => navigate(overviewPath(rangeOf(view)))}>
          Show without filters
        </button>
      ) : null}
      {isWithin ? null : (
        <button
          type="button"
          className="button"
          onClick={() => navigate(overviewPath(aroundLast(view, lastMs)))}
        >
          Show the hour of the last event
        </button>
      )}
    </div>
  );
}

/** Fifty minutes before and ten after, in whole minutes so that the address is short. */
function aroundLast(view: View, lastMs: number): View {
  const minute = Math.ceil(lastMs / 60_000) * 60_000;
  return withRange(view, { from: toIso(minute - 50 * 60_000), to: toIso(minute + 10 * 60_000) });
}

function toIso(ms: number): string {
  return new Date(ms).toISOString().replace(':00.000Z', 'Z');
}
