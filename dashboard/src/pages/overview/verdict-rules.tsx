// Explains the verdict: the rules in evaluation order with their observed values. Collapsed by default.
import { useState } from 'react';
import type { SummaryResponse } from '../../../../src/contract/responses.ts';
import { Icon } from '../../components/icon.tsx';
import { prepareVerdictRules } from './prepare-verdict-rules.ts';

export function VerdictRules({ summary }: { readonly summary: SummaryResponse }) {
  const [isOpen, setIsOpen] = useState(false);
  const { verdict, totals, freshness, loops, now } = summary;
  const rules = prepareVerdictRules(verdict, {
    calls: totals.calls,
    errors: totals.errors,
    hasEvents: freshness.lastEventAt !== null,
    activeLoops: loops?.activeSessions,
    now: now?.decides ? now.sentence : undefined,
  });
  return (
    <div className="verdict-rule">
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Icon name="right" />
        <span className="name">The rule behind it</span>
      </button>
      {isOpen ? (
        <>
          <table aria-label="The rules of the verdict">
            <tbody>
              {rules.map(({ word, rule, observed, isChosen, verdict: own }) => (
                <tr key={own} data-chosen={isChosen || undefined}>
                  <td>{isChosen ? <Icon name="check" label="this one" /> : null}</td>
                  <td>{word}</td>
                  <td>{rule}</td>
                  <td className="muted">{observed}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="muted small">
            Tried from the top; the first that holds is the verdict. The last ten minutes are judged apart: a
            tool that surely fails in half of its calls there is failing, in a fifth degraded. In a range that
            ends now, the worse of both is the verdict.
          </p>
        </>
      ) : null}
    </div>
  );
}
