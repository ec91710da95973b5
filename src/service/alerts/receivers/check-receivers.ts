// Refuses receivers that may not be used: those at a private address, and commands, that the operator did not allow.
// The same is checked again for every notification, since a name may resolve differently by then.

import { UserError } from '../../../errors.ts';
import { checkTarget, type TargetPolicy } from './check-target.ts';
import { COMMAND_REFUSED } from './command.ts';
import { findTargetUrl, type Receiver } from './receiver.ts';

export interface ReceiverPolicy extends TargetPolicy {
  /** Programs that receivers of type `command` may run. */
  readonly allowedCommands: readonly string[];
  /** Path of the rules file, for error messages. */
  readonly path: string | null;
}

/** @throws UserError INVALID_SETTING */
export async function checkReceivers(receivers: readonly Receiver[], policy: ReceiverPolicy): Promise<void> {
  await Promise.all(receivers.map((receiver) => checkReceiver(receiver, policy)));
}

async function checkReceiver(receiver: Receiver, policy: ReceiverPolicy): Promise<void> {
  const { path, allowedCommands } = policy;
  const refuse = (field: string, reason: string): never => {
    const message = `${path}: receiver "${receiver.name}", field "${field}" is not allowed. ${reason}`;
    throw new UserError('INVALID_SETTING', message, { field });
  };
  if (receiver.type === 'command' && !allowedCommands.includes(receiver.command[0]))
    refuse('command', COMMAND_REFUSED);
  const url = findTargetUrl(receiver);
  if (!url) return;
  const target = await checkTarget(url, policy);
  if (target.status === 'refused') refuse(receiver.type === 'email' ? 'host' : 'url', target.reason);
}
