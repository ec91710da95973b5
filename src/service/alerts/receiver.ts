// Notification receivers. A receiver's address and token are secrets: they are read from the rules file or
// the environment and leave this module only in the request itself. `redactUrl` returns what may be shown.

import type { ReceiverType } from '../../contract/alerts.ts';

interface LocalReceiver {
  readonly name: string;
  readonly type: 'dashboard' | 'log';
}

export interface HttpReceiver {
  readonly name: string;
  readonly type: 'webhook' | 'slack';
  readonly url: URL;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
}

export type Receiver = LocalReceiver | HttpReceiver;

/** They need no address, so they are always there. */
export const BUILT_IN_RECEIVERS: readonly LocalReceiver[] = [
  { name: 'dashboard', type: 'dashboard' },
  { name: 'log', type: 'log' },
];

/** The origin; the path of a webhook is its password. */
export function redactUrl(receiver: Receiver): string | null {
  return isHttpReceiver(receiver) ? `${receiver.url.origin}/…` : null;
}

export function isHttpReceiver(receiver: Receiver): receiver is HttpReceiver {
  const types: readonly ReceiverType[] = ['webhook', 'slack'];
  return types.includes(receiver.type);
}
