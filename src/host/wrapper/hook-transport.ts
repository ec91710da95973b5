// The hook. A transport is patched in place, never replaced: SDKs check its class and private fields. `start` is where
// callbacks are certain to be installed and no message was delivered yet; after `connect` resolved it is too late for
// a transport that flushes a queue. Callbacks are assigned back plainly, because some transports have accessors there.

import { type HostCall, runActive } from './active-call.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction, TransportShape } from './sdk-shapes.ts';

/** What wants to know; a failure of its own costs the host nothing. */
export interface TransportListener {
  received(message: unknown, extra: unknown): HostCall | undefined;
  sent(message: unknown, options: unknown): void;
  closed(): void;
  /** The answer to a call that must not reach the host; asked once a call, right after it was received. */
  answerInstead?(call: HostCall): object | undefined;
  /** What the host sends, as it shall leave instead; undefined leaves it as it is. */
  rewrite?(message: unknown): object | undefined;
  /** What has to be there before the first message; undefined once it is. */
  ready?(): Promise<void> | undefined;
}

/** Kept on the transport itself, so that it is hooked once however often it is connected. */
interface Hooked {
  readonly listener: TransportListener;
  /** The message on its way to the host right now. */
  delivering: unknown;
}

const HOOKED = Symbol.for('toolscope.hooked');

/**
 * Listens to a transport.
 *
 * @param connected whether callbacks are installed already (a server that was connected before it was observed).
 */
export function hookTransport(
  transport: TransportShape & { readonly [HOOKED]?: Hooked },
  createListener: () => TransportListener,
  connected: boolean,
): void {
  const present = transport[HOOKED];
  if (present !== undefined && connected) return;
  const hooked = present ?? { listener: createListener(), delivering: undefined };
  if (present === undefined) {
    Object.defineProperty(transport, HOOKED, { value: hooked });
    if (!connected) interceptCallbacks(transport, hooked);
    hookSend(transport, hooked);
  }
  if (connected) hookCallbacks(transport, hooked);
  else hookStart(transport, hooked);
}

function hookStart(transport: TransportShape, hooked: Hooked): void {
  const own = Object.getOwnPropertyDescriptor(transport, 'start');
  const { start } = transport;
  override(transport, 'start', function startObserved(...parameters) {
    neverThrow(() => {
      if (own) Object.defineProperty(transport, 'start', own);
      else Reflect.deleteProperty(transport, 'start');
      hookCallbacks(transport, hooked);
    });
    const ready = neverThrow(() => hooked.listener.ready?.());
    if (ready === undefined) return Reflect.apply(start, this, parameters);
    return ready.then(() => Reflect.apply(start, this, parameters));
  });
}

function hookCallbacks(transport: TransportShape, hooked: Hooked): void {
  const { onmessage, onclose } = transport;
  if (typeof onmessage === 'function') transport.onmessage = createReceive(onmessage, transport, hooked);
  // What cannot be read may be there, and must not be replaced.
  if (setterAlone(transport, 'onclose') === undefined) transport.onclose = createClose(onclose, hooked);
}

function createClose(onclose: unknown, hooked: Hooked): AnyFunction {
  return function close(...parameters) {
    neverThrow(() => hooked.listener.closed());
    return typeof onclose === 'function' ? Reflect.apply(onclose, this, parameters) : undefined;
  };
}

/** Some transports take a callback through a setter and show none: there it is met on its way in. */
function interceptCallbacks(transport: TransportShape, hooked: Hooked): void {
  intercept(transport, 'onmessage', (onmessage) => createReceive(onmessage, transport, hooked));
  intercept(transport, 'onclose', (onclose) => createClose(onclose, hooked));
}

function intercept(transport: TransportShape, name: Callback, wrap: (own: AnyFunction) => AnyFunction): void {
  const set = setterAlone(transport, name);
  if (set === undefined) return;
  Object.defineProperty(transport, name, {
    configurable: true,
    enumerable: Object.getOwnPropertyDescriptor(transport, name)?.enumerable ?? false,
    set(given: unknown) {
      Reflect.apply(set, transport, [typeof given === 'function' ? wrap(given as AnyFunction) : given]);
    },
  });
}

type Callback = 'onmessage' | 'onclose';

/** The setter of a property that has no getter, of the object itself or inherited. */
function setterAlone(transport: object, name: Callback): ((value: unknown) => void) | undefined {
  for (let at: object | null = transport; at !== null; at = Object.getPrototypeOf(at)) {
    const descriptor = Object.getOwnPropertyDescriptor(at, name);
    if (descriptor) return descriptor.get === undefined ? descriptor.set : undefined;
  }
  return undefined;
}

function createReceive(onmessage: AnyFunction, transport: TransportShape, hooked: Hooked): AnyFunction {
  return function receive(...parameters) {
    const [message, extra] = parameters;
    const deliver = () => Reflect.apply(onmessage, this, parameters);
    // A transport connected anew chains its old callback, and us in it, under the new one.
    if (hooked.delivering === message) return deliver();
    const before = hooked.delivering;
    hooked.delivering = message;
    try {
      const call = neverThrow(() => hooked.listener.received(message, extra));
      if (call === undefined) return deliver();
      const answer = neverThrow(() => hooked.listener.answerInstead?.(call));
      if (answer === undefined) return runActive(call, deliver);
      sendLater(transport, answer);
      return undefined;
    } finally {
      hooked.delivering = before;
    }
  };
}

/** An SDK answers when the message was dispatched, never while it is. */
function sendLater(transport: TransportShape, answer: object): void {
  Promise.resolve()
    .then(() => transport.send(answer))
    .catch(() => {
      // The connection is gone, and with it whoever asked.
    });
}

/** `send` stays synchronous: v2's per-request transport picks the HTTP status by when it is called. */
function hookSend(transport: TransportShape, hooked: Hooked): void {
  const { send } = transport;
  override(transport, 'send', function sendObserved(...parameters) {
    const [message, ...rest] = parameters;
    const rewritten = neverThrow(() => hooked.listener.rewrite?.(message));
    neverThrow(() => hooked.listener.sent(message, parameters[1]));
    return Reflect.apply(send, this, rewritten === undefined ? parameters : [rewritten, ...rest]);
  });
}

/** Shadows a method on one object, unseen by whoever lists its keys. */
export function override(object: object, name: string, value: AnyFunction): void {
  Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: false });
}
