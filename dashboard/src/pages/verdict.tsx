// The answer to "is my server healthy?", as the service words it.
import type { SummaryAnswer } from '../../../src/contract/answers.ts';
import { Icon, type IconName } from '../components/icon.tsx';

type Verdict = SummaryAnswer['verdict'];

const MARKS: Readonly<Record<Verdict, { readonly icon: IconName; readonly tone: string }>> = {
  healthy: { icon: 'fine', tone: 'fine' },
  degraded: { icon: 'client', tone: 'client' },
  failing: { icon: 'server', tone: 'server' },
  looping: { icon: 'loop', tone: 'loop' },
  quiet: { icon: 'quiet', tone: 'quiet' },
  not_enough_data: { icon: 'question', tone: 'quiet' },
  no_data: { icon: 'quiet', tone: 'quiet' },
};

export function VerdictLine({ summary }: { readonly summary: SummaryAnswer }) {
  const { icon, tone } = MARKS[summary.verdict];
  // The service begins its sentence with the verdict's word.
  const [, word = '', rest = ''] = /^([^.]+\.)?(.*)$/s.exec(summary.sentence) ?? [];
  return (
    <div className={`verdict ${tone}`} data-verdict={summary.verdict}>
      <Icon name={icon} />
      <h1>
        <span className="word">{word}</span>
        {rest}
      </h1>
    </div>
  );
}
