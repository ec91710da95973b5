// The thresholds that would have agreed with all feedback, computed when the reader requests it.
import { useState } from 'react';
import { Link } from 'wouter';
import type { ThresholdProposalResponse } from '../../../../src/contract/loop-feedback.ts';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { loopsPath, sessionPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { describeChange, describeHistory, describeProposal, VERDICT_WORDS } from './describe-feedback.ts';

export function ThresholdProposalPanel({ view }: { readonly view: View }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel
      title="Thresholds from feedback"
      note="what would have agreed with every “Not a loop” and “Is a loop”"
    >
      {isOpen ? (
        <Proposal view={view} />
      ) : (
        <button type="button" className="button" onClick={() => setOpen(true)}>
          Propose thresholds
        </button>
      )}
    </Panel>
  );
}

function Proposal({ view }: { readonly view: View }) {
  const result = useResource('thresholdProposal', toQueryParams(view));
  return (
    <QueryBoundary result={result} skeletonRows={3} empty={() => undefined}>
      {(response) => (
        <div className="considered">
          <p>{describeProposal(response)}</p>
          <ProposedChanges response={response} view={view} />
          {response.unsatisfied.length === 0 ? null : (
            <ul aria-label="Feedback that no threshold satisfies">
              {response.unsatisfied.map(({ loopId, verdict, reason, sentence }) => (
                <li key={loopId}>
                  <Link className="link" href={loopsPath(view, { severity: 'note', loop: loopId })}>
                    {VERDICT_WORDS[verdict]}
                  </Link>
                  : {sentence} <span className="muted">({reason})</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </QueryBoundary>
  );
}

interface ProposedChangesProps {
  readonly response: ThresholdProposalResponse;
  readonly view: View;
}

function ProposedChanges({ response: { changes, history, thresholdsFile }, view }: ProposedChangesProps) {
  if (thresholdsFile === null) return null;
  return (
    <>
      <ul aria-label="Proposed thresholds">
        {changes.map((change) => (
          <li key={`${change.entry} ${change.name}`}>
            <code>{describeChange(change)}</code>
          </li>
        ))}
      </ul>
      <p>{describeHistory(history)}</p>
      {history.changed.length === 0 ? null : (
        <ul aria-label="Verdicts that would change">
          {history.changed.map(({ server, sessionId, change, sentence }) => (
            <li key={`${server} ${sessionId}`}>
              <Link className="link" href={sessionPath(view, { id: sessionId, of: server })}>
                {change === 'fires' ? 'A loop' : 'No loop any more'}
              </Link>
              : {sentence}
            </li>
          ))}
        </ul>
      )}
      <p className="muted">
        Save as <code>loops.json</code> and start the service with <code>--loop-thresholds loops.json</code>:
      </p>
      <pre>{thresholdsFile}</pre>
      <CopyButton text={thresholdsFile} what="thresholds file" showLabel="whole" />
    </>
  );
}
