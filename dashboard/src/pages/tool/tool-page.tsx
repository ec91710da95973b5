// Which design of this tool fails agents, and why? The sentence says it; the figures are links to their calls; below it
// how it fails and what agents did then, what to change, the contract and its versions, and how it is used.
import { Link } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import type { ToolAnswer } from '../../../../src/contract/tool.ts';
import { useTool } from '../../api/tool-questions.ts';
import { Shell } from '../../components/shell.tsx';
import { formatRange } from '../../format/format-range.ts';
import { readToolName, toolsPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import { useNow } from '../../view/use-now.ts';
import { useOwn, useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { AdvicePanel } from './advice-panel.tsx';
import { ArgumentsPanel } from './arguments-panel.tsx';
import { ContractPanel } from './contract-panel.tsx';
import { FailuresPanel } from './failures-panel.tsx';
import { LatestCallsPanel } from './latest-calls-panel.tsx';
import { NeighboursPanel } from './neighbours-panel.tsx';
import { prepareToolSentence } from './prepare-tool-sentence.ts';
import { ToolFacts } from './tool-facts.tsx';
import { ToolLatencyPanel } from './tool-latency-panel.tsx';
import { VersionsPanel } from './versions-panel.tsx';

export function ToolPage() {
  const view = useView();
  const tool = readToolName(usePathname());
  const server = useOwn('of') ?? view.server ?? '';
  const asked = useTool(view, { tool, server });
  return (
    <div className="page tool-page">
      <Link href={toolsPath(view)} className="back">
        All tools
      </Link>
      <Shell asked={asked} rows={10} empty={() => undefined}>
        {(answer) => <Told answer={answer} view={view} />}
      </Shell>
    </div>
  );
}

export interface ToolPartProps {
  readonly answer: ToolAnswer;
  readonly view: View;
}

function Told({ answer, view }: ToolPartProps) {
  const zone = useZone();
  const nowMs = useNow(60_000);
  const range = formatRange(view, { nowMs, zone });
  return (
    <>
      <h1>{prepareToolSentence(answer, range)}</h1>
      <ToolFacts answer={answer} view={view} />
      {answer.failures.length > 0 ? <FailuresPanel answer={answer} view={view} /> : null}
      {answer.advice.length > 0 ? <AdvicePanel advice={answer.advice} view={view} /> : null}
      <ContractPanel answer={answer} />
      {answer.versions.length > 0 ? <VersionsPanel answer={answer} view={view} /> : null}
      <ArgumentsPanel answer={answer} view={view} />
      <NeighboursPanel answer={answer} view={view} />
      <ToolLatencyPanel answer={answer} view={view} />
      {answer.calls > 0 ? <LatestCallsPanel answer={answer} view={view} /> : null}
    </>
  );
}
