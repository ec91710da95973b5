// The state of a rule or an alert: an icon with a label.
import type { AlertStateName } from '../../../src/contract/alerts.ts';
import { Icon, type IconName } from './icon.tsx';

const STATE_BADGES: Readonly<Record<AlertStateName, { readonly icon: IconName; readonly says: string }>> = {
  firing: { icon: 'alerts', says: 'it has lasted long enough to be told' },
  pending: { icon: 'clock', says: 'held back until it has lasted' },
  resolved: { icon: 'check', says: 'it is over' },
  inactive: { icon: 'quiet', says: 'nothing was found' },
};

export function AlertStateBadge({ state }: { readonly state: AlertStateName }) {
  const { icon, says } = STATE_BADGES[state];
  return (
    <span className={`alert-state ${state}`} title={says}>
      <Icon name={icon} />
      {state}
    </span>
  );
}
