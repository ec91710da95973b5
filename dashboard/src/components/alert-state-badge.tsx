// The state of a rule or an alert: an icon with a label.
import type { AlertStateName } from '../../../src/contract/alerts.ts';
import { Icon, type IconName } from './icon.tsx';

const STATE_BADGES: Readonly<Record<AlertStateName, { readonly icon: IconName; readonly title: string }>> = {
  firing: { icon: 'alerts', title: 'active for long enough to notify' },
  pending: { icon: 'clock', title: 'active, waiting for its minimum duration' },
  resolved: { icon: 'check', title: 'no longer active' },
  inactive: { icon: 'quiet', title: 'not active' },
};

export function AlertStateBadge({ state }: { readonly state: AlertStateName }) {
  const { icon, title } = STATE_BADGES[state];
  return (
    <span className={`alert-state ${state}`} title={title}>
      <Icon name={icon} />
      {state}
    </span>
  );
}
