// IPC messages between the supervisor and the engine process. The password is sent here and not in argv or
// the environment, where every process of the user could read it.

/** Supervisor to child, first: everything the child needs. */
export interface StartMessage {
  readonly kind: 'start';
  /** Path of the resolved `chdb` module. */
  readonly chdbModule: string;
  readonly dataDirectory: string;
  readonly username: string;
  readonly password: string;
  /** 0 asks for a free port; a restart asks for the port the first child had. */
  readonly port: number;
  /** How long to wait for another process to let go of the data directory, in milliseconds. */
  readonly lockWaitMs: number;
}

/** Supervisor to child, last: answer what was accepted, then end. */
export interface StopMessage {
  readonly kind: 'stop';
}

export type ParentMessage = StartMessage | StopMessage;

/** Child to supervisor: how the start went. */
export type ChildMessage =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'locked' }
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };
