// The answer to "is my server healthy?", as the service words it, and how fresh what it rests on is.
import type { SummaryAnswer } from '../../../src/contract/answers.ts';
import { Ago } from '../components/figures.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { formatNoun } from '../format/format-number.ts';

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

/** Tells a dead exporter from a quiet server. */
export function FreshnessStrip({ freshness }: Pick<SummaryAnswer, 'freshness'>) {
  const { lastEventAt, serversReporting, pendingCalls, droppedByProducers, rejectedSpans } = freshness;
  return (
    <ul className="freshness">
      {lastEventAt ? (
        <li>
          Last event <Ago at={lastEventAt} />
        </li>
      ) : null}
      {freshness.notTaking ? (
        <li className="lost">
          <Icon name="server" /> No calls are taken. {freshness.notTaking}
        </li>
      ) : null}
      <li>{formatNoun(serversReporting, 'server')} reporting</li>
      {pendingCalls > 0 ? <li>{formatNoun(pendingCalls, 'call')} on the way to the store</li> : null}
      <Lost count={droppedByProducers} what="dropped before they were sent" />
      <Lost count={rejectedSpans} what="rejected" />
    </ul>
  );
}

function Lost({ count, what }: { readonly count: number; readonly what: string }) {
  if (count === 0) return <li>0 {what}</li>;
  return (
    <li className="lost">
      <Icon name="server" /> {formatNoun(count, 'call')} {what}
    </li>
  );
}
