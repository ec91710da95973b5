// The status of the last ten minutes, unless the verdict covers it, and the firing alerts. Needed because a
// range of a week does not show a current outage.
import { Link } from 'wouter';
import type { SummaryResponse } from '../../../../src/contract/responses.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { alertsPath, toolPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

type CurrentStatus = NonNullable<SummaryResponse['now']>;

/** The current verdicts that are shown whatever the verdict of the range is. */
const PROBLEM_STYLES: Readonly<Partial<Record<CurrentStatus['verdict'], readonly [IconName, string]>>> = {
  failing: ['server', 'server'],
  degraded: ['client', 'client'],
  looping: ['loop', 'loop'],
};

interface NowLineProps {
  readonly summary: SummaryResponse;
  readonly view: View;
}

export function NowLine({ summary: { now }, view }: NowLineProps) {
  if (!now) return null;
  const [icon, tone] = PROBLEM_STYLES[now.verdict] ?? ['clock', 'quiet'];
  const unnamed = now.firingAlerts - now.alerts.length;
  return (
    <div className={`now ${tone}`} data-verdict={now.verdict}>
      {now.decides ? null : (
        <p>
          <Icon name={icon} />
          <span className="word">Now</span>
          <span>{now.sentence}</span>
        </p>
      )}
      <FailingTools now={now} view={view} />
      {now.alerts.length > 0 ? (
        <ul className="firing" aria-label="Firing alerts">
          {now.alerts.map(({ rule, server, sentence }) => (
            <li key={`${rule} ${server} ${sentence}`}>
              <Icon name="alerts" />
              <Link href={alertsPath(view)}>{rule}</Link>
              <span>{sentence}</span>
              {server ? <span className="muted">{server}</span> : null}
            </li>
          ))}
          {unnamed > 0 ? (
            <li>
              <Link href={alertsPath(view)}>{formatPlural(unnamed, 'more alert')} firing</Link>
            </li>
          ) : null}
        </ul>
      ) : null}
    </div>
  );
}

/** Links to the failing tools when there are several; a single one is in the sentence already. */
function FailingTools({ now: { tools }, view }: { readonly now: CurrentStatus; readonly view: View }) {
  if (tools.length < 2) return null;
  return (
    <ul className="failing-tools" aria-label="Tools that fail now">
      {tools.map(({ server, tool, calls, errors }) => (
        <li key={`${server} ${tool}`}>
          <Link href={toolPath(view, { server, tool })}>{tool}</Link>
          <span className="muted">
            {errors} of {formatPlural(calls, 'call')}
          </span>
        </li>
      ))}
    </ul>
  );
}
