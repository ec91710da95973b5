// What an alert says, and for one that fires the calls and errors around it.
import type { AlertRow } from '../../../../src/contract/alerts.ts';
import { useResource } from '../../api/queries.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import type { View } from '../../view/view.ts';
import { AlertSentence } from './alert-sentence.tsx';
import { prepareAlertTrend } from './prepare-alert-trend.ts';

interface AlertEvidenceProps {
  readonly alert: AlertRow;
  readonly view: View;
  readonly hasTrend: boolean;
}

export function AlertEvidence({ alert, view, hasTrend }: AlertEvidenceProps) {
  return (
    <div className="alert-evidence">
      <AlertSentence alert={alert} view={view} />
      {hasTrend ? <AlertTrend alert={alert} /> : null}
    </div>
  );
}

/** Calls of the last six hours with their errors. */
function AlertTrend({ alert: { labels } }: Pick<AlertEvidenceProps, 'alert'>) {
  const { server, tool, environment } = labels;
  const { data } = useResource('trend', {
    ...{ from: 'now-6h', to: 'now', server },
    ...(tool && { tool }),
    ...(environment && { environment }),
  });
  if (!data) return <span className="alert-trend" aria-hidden="true" />;
  const { calls, errors, callBars, errorBars } = prepareAlertTrend(data);
  const label = `Last 6 hours: ${formatPlural(calls, 'call')}, ${formatCount(errors)} failed`;
  return (
    <span className="alert-trend">
      <svg viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
        <path className="trend-calls" d={callBars} />
        <path className="trend-errors" d={errorBars} />
      </svg>
      <span className="muted small">{label}</span>
    </span>
  );
}
