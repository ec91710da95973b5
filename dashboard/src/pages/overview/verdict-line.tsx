// The verdict on the health of the server, as the service words it.
import { Link } from 'wouter';
import type { SummaryResponse, ToolRow } from '../../../../src/contract/responses.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { toolPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

type Verdict = SummaryResponse['verdict'];

const VERDICT_STYLES: Readonly<Record<Verdict, { readonly icon: IconName; readonly tone: string }>> = {
  healthy: { icon: 'fine', tone: 'fine' },
  degraded: { icon: 'client', tone: 'client' },
  failing: { icon: 'server', tone: 'server' },
  looping: { icon: 'loop', tone: 'loop' },
  quiet: { icon: 'quiet', tone: 'quiet' },
  not_enough_data: { icon: 'question', tone: 'quiet' },
  no_data: { icon: 'quiet', tone: 'quiet' },
};

interface VerdictLineProps {
  readonly summary: SummaryResponse;
  /** The tools of the range: the one that the sentence names becomes a link to its page. */
  readonly tools: readonly ToolRow[];
  readonly view: View;
}

export function VerdictLine({ summary, tools, view }: VerdictLineProps) {
  const { icon, tone } = VERDICT_STYLES[summary.verdict];
  // The service starts its sentence with the verdict.
  const [, word = '', rest = ''] = /^([^.]+\.)?(.*)$/s.exec(summary.sentence) ?? [];
  return (
    <div className={`verdict ${tone}`} data-verdict={summary.verdict}>
      <Icon name={icon} />
      <h1>
        <span className="word">{word}</span>
        <VerdictText text={rest} tools={tools} view={view} />
      </h1>
    </div>
  );
}

interface VerdictTextProps extends Pick<VerdictLineProps, 'tools' | 'view'> {
  readonly text: string;
}

/** The service names the worst tool first, with its server when the query covers several servers. */
function VerdictText({ text, tools, view }: VerdictTextProps) {
  const [, before = '', name = '', after = ''] = /^(\s*)(\S+)( fails .*)$/s.exec(text) ?? [];
  const own = tools.filter(({ server, tool }) => name === tool || name === `${server}/${tool}`);
  const [tool] = own;
  if (!tool || own.length > 1) return text;
  return (
    <>
      {before}
      <Link href={toolPath(view, tool)}>{name}</Link>
      {after}
    </>
  );
}
