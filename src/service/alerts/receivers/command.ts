// Runs a command of the operator with the notification on standard input, as the JSON body of a webhook. No shell
// reads it, its environment has nothing of the service but the path, and it is ended when its time is up.

import { spawn } from 'node:child_process';
import { toSystemErrorCode } from './check-target.ts';
import type { Notification, NotificationResult } from './notification.ts';
import type { CommandReceiver } from './receiver.ts';
import { toWebhookBody } from './webhook.ts';

interface CommandOptions {
  readonly externalUrl: string;
  readonly timeoutMs: number;
  /** Paths of the programs that may be run. */
  readonly allowedCommands: readonly string[];
}

export const COMMAND_REFUSED =
  'The program is not allowed. Expected one that --alert-commands (TOOLSCOPE_ALERT_COMMANDS) lists.';

/** Exit status 0 is delivered; every other end is tried again. A program that cannot be started has failed. */
export async function runCommand(
  receiver: CommandReceiver,
  notification: Notification,
  options: CommandOptions,
): Promise<NotificationResult> {
  const { message, id, signal } = notification;
  const { externalUrl, timeoutMs, allowedCommands } = options;
  if (!allowedCommands.includes(receiver.command[0]))
    return { status: 'failed', httpStatus: null, reason: COMMAND_REFUSED };
  const input = JSON.stringify(toWebhookBody(message, { externalUrl, receiver: receiver.name }));
  const ended = await run(receiver.command, {
    environment: receiver.environment,
    input,
    id,
    timeoutMs,
    signal,
  });
  if (ended.status === 'not-started')
    return {
      status: 'failed',
      httpStatus: null,
      reason: `The command could not be started (${ended.code}).`,
    };
  if (ended.exitCode === 0) return { status: 'delivered', httpStatus: null };
  const why = ended.isTimeout
    ? `did not end within ${timeoutMs / 1_000} s`
    : `ended with ${ended.exitCode === null ? 'a signal' : `exit status ${ended.exitCode}`}`;
  const reason = `The command ${why}.`;
  const isUnanswered = ended.exitCode === null;
  return { status: 'retry', httpStatus: null, reason, retryAfterMs: undefined, isUnanswered };
}

interface RunOptions {
  readonly environment: CommandReceiver['environment'];
  readonly input: string;
  readonly id: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type RunResult =
  | { readonly status: 'not-started'; readonly code: string }
  | { readonly status: 'ended'; readonly exitCode: number | null; readonly isTimeout: boolean };

function run(
  [program, ...args]: readonly [string, ...string[]],
  { environment, input, id, timeoutMs, signal }: RunOptions,
): Promise<RunResult> {
  const timeout = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      shell: false,
      // A group of its own, so that what the command started ends with it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...environment, TOOLSCOPE_NOTIFICATION_ID: id },
    });
    const end = (): void => endGroup(child.pid);
    const stop = AbortSignal.any([signal, timeout]);
    stop.addEventListener('abort', end, { once: true });
    child.once('error', (error) => resolve({ status: 'not-started', code: toSystemErrorCode(error) }));
    child.once('exit', (exitCode) => {
      stop.removeEventListener('abort', end);
      resolve({ status: 'ended', exitCode, isTimeout: timeout.aborted });
    });
    // A command may end without reading its input.
    child.stdin.on('error', () => undefined).end(input);
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
}
