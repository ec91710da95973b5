// The two directions between a client and its server: as if nobody stood there; or with a guard between them, that holds
// back lines of the client's and answers them itself, and puts a word into a line of the server's now and then.

import type { Readable, Writable } from 'node:stream';
import { type Forwarding, forward } from './forward.ts';
import { createLineWeaver } from './line-weaver.ts';
import type { Ruling } from './thread-messages.ts';
import type { TrafficObserver } from './thread-observer.ts';

/** Both ends: the client's pipes, and the server's. */
export interface Pipes {
  readonly client: { readonly input: Readable; readonly output: Writable };
  readonly server: { readonly input: Writable; readonly output: Readable };
}

export interface Passage {
  readonly input: Forwarding;
  readonly output: Forwarding;
}

/** Begins to pass on both directions. */
export function passLines({ client, server }: Pipes, observer: TrafficObserver | undefined): Passage {
  if (observer === undefined) {
    const passed = (): void => {};
    return {
      input: forward(client.input, server.input, { passed }),
      output: forward(server.output, client.output, { passed }),
    };
  }
  const weaver = createLineWeaver();
  const listeners = (from: 'client' | 'server') => ({
    passed: (chunk: Uint8Array) => observer.passed(from, chunk),
    held: (chunk: Uint8Array) => observer.held(from, chunk),
    ended: () => observer.ended(from),
  });
  const input = forward(client.input, server.input, {
    ...listeners('client'),
    ...(observer.gates && { isHolding: true, answers: client.output }),
  });
  const output = forward(server.output, client.output, {
    ...listeners('server'),
    ...(observer.gates && { weave: weaver.pass }),
  });
  function answer(line: Uint8Array): void {
    for (const piece of weaver.insert(line)) output.insert(piece);
  }
  observer.onRuling((ruling) => {
    if (ruling === 'failed') for (const direction of [output, input]) direction.release();
    else follow(ruling, { input, output, answer });
  });
  return { input, output };
}

interface Followers extends Passage {
  readonly answer: (line: Uint8Array) => void;
}

function follow(ruling: Ruling, { input, output, answer }: Followers): void {
  if (ruling.kind === 'hold') {
    output.hold(ruling.isHolding);
    return;
  }
  const direction = ruling.from === 'client' ? input : output;
  direction.rule(ruling.length, ruling.instead);
  if (ruling.answer !== undefined) answer(ruling.answer);
}
