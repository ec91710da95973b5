// The two directions between a client and its server: as if nobody stood there; or with a guard between them, that holds
// back lines of the client's and answers them itself, and puts a word into a line of the server's now and then.

import type { Readable, Writable } from 'node:stream';
import { forward, pump } from './forward.ts';
import { createLineEditor } from './line-editor.ts';
import { createLineGate } from './line-gate.ts';
import { createLineWeaver } from './line-weaver.ts';
import { createMessageTap, MAX_LINE_BYTES, type MessageTap } from './message-tap.ts';
import { type BlockFor, nudgeLine } from './nudge-line.ts';

/** Both ends: the client's pipes, and the server's. */
export interface Pipes {
  readonly client: { readonly input: Readable; readonly output: Writable };
  readonly server: { readonly input: Writable; readonly output: Readable };
}

/** Who hears each message, and what they may do about it. */
export interface Listeners {
  /** Gets each message the client sent, after it went on, or, with a `gate`, before. */
  readonly fromClient: (message: unknown) => object | undefined;
  /** Gets each message the server sent, after it went on. */
  readonly fromServer: (message: unknown) => void;
  /**
   * Where it is given, nothing the client sent goes on before it resolved; and a message for which `fromClient` returns an
   * answer does not go on at all: the client gets that. MUST NOT reject.
   */
  readonly gate?: Promise<void> | undefined;
  /** With a `gate`: a block may be appended to the content of the server's responses. */
  readonly nudging?: Nudging | undefined;
}

export interface Nudging {
  /** Whether an answer is on its way that may get one; until then nothing of the server's is held back. */
  readonly isWaiting: () => boolean;
  /** Asked with a message before `fromServer` gets it. MUST NOT throw. */
  readonly blockFor: BlockFor;
}

export interface Passage {
  /** Resolve when no more will be forwarded. */
  readonly input: Promise<void>;
  readonly output: Promise<void>;
  readonly upward: MessageTap;
  readonly downward: MessageTap;
  /** Lets go of what is held of a line that will not end. */
  flush(): void;
}

const LF = 0x0a;
const CR = 0x0d;

/** Begins to pass on both directions. */
export function passLines(pipes: Pipes, listeners: Listeners): Passage {
  const downward = createMessageTap(listeners.fromServer);
  if (listeners.gate !== undefined) return passGuarded(pipes, listeners, downward);
  const { client, server } = pipes;
  const upward = createMessageTap((message) => void listeners.fromClient(message));
  return {
    input: forward(client.input, server.input, upward.read),
    output: forward(server.output, client.output, downward.read),
    upward,
    downward,
    flush() {},
  };
}

/** Line by line towards the server, so that one can be held back; our answers go between its own lines. */
function passGuarded(pipes: Pipes, listeners: Listeners, downward: MessageTap): Passage {
  const { client, server } = pipes;
  const weaver = createLineWeaver();
  let answer: object | undefined;
  const upward = createMessageTap((message) => {
    answer = listeners.fromClient(message);
  });
  const gate = createLineGate({
    maxBytes: MAX_LINE_BYTES,
    admits(line) {
      answer = undefined;
      upward.read(line);
      if (line.at(-1) !== LF) upward.end();
      if (answer === undefined) return true;
      const ending = line.at(-2) === CR ? '\r\n' : '\n';
      writeAll(client.output, weaver.insert(Buffer.from(`${JSON.stringify(answer)}${ending}`)));
      return false;
    },
  });
  async function passInput(): Promise<void> {
    await listeners.gate;
    if (client.input.destroyed) return;
    await pump(client.input, server.input, (chunk) => {
      const full = writeAll(server.input, gate.push(chunk));
      return client.output.writableNeedDrain ? client.output : full;
    });
    writeAll(server.input, gate.end());
  }
  const nudging = listeners.nudging ?? SILENT;
  const passed = passNudged(pipes, { nudging, downward, weave: weaver.pass });
  return { input: passInput(), ...passed, upward, downward };
}

const SILENT: Nudging = { isWaiting: () => false, blockFor: () => undefined };

interface DownwardOptions {
  readonly nudging: Nudging;
  readonly downward: MessageTap;
  /** What goes out in place of a piece. */
  readonly weave: (piece: Uint8Array) => readonly Uint8Array[];
}

/** From the server: the tap reads what the server sent, the client gets it with what was put in. */
function passNudged({ client, server }: Pipes, { nudging, downward, weave }: DownwardOptions) {
  const editor = createLineEditor({
    maxBytes: MAX_LINE_BYTES,
    isWaiting: nudging.isWaiting,
    edit: (line) => nudgeLine(line, nudging.blockFor),
  });
  const flush = () => void writeAll(client.output, editor.end().flatMap(weave));
  const output = pump(server.output, client.output, (chunk) => {
    const full = writeAll(client.output, editor.push(chunk).flatMap(weave));
    downward.read(chunk);
    return full;
  });
  return { output: output.then(flush), flush };
}

/** @returns the destination, if it is full */
function writeAll(destination: Writable, pieces: readonly Uint8Array[]): Writable | undefined {
  const hasRoom = pieces.map((piece) => destination.write(piece));
  return hasRoom.includes(false) ? destination : undefined;
}
