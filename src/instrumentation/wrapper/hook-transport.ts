// The hook. A transport is patched in place, never replaced: SDKs check its class and private fields. `start` is where
// callbacks are certain to be installed and no message was delivered yet; after `connect` resolved it is too late for
// a transport that flushes a queue. Callbacks are assigned back plainly, because some transports have accessors there.

import { runWithActiveCall, type WrapperCall } from './active-call.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction, TransportShape } from './sdk-shapes.ts';

/** What wants to know; a failure of its own costs the host nothing. */
export interface TransportListener {
  received(message: unknown, extra: unknown): WrapperCall | undefined;
  sent(message: unknown, options: unknown): void;
  onClosed(): void;
  /** The answer to a call that must not reach the host; asked once a call, right after it was received. */
  answerInstead?(call: WrapperCall): object | undefined;
  /** What the host sends, as it shall leave instead; undefined leaves it as it is. */
  rewrite?(message: unknown): object | undefined;
  /** What has to be there before the first message; undefined once it is. */
  ready?(): Promise<void> | undefined;
}

/** Kept on the transport itself, so that it is hooked once however often it is connected. */
interface TransportHook {
  readonly listener: TransportListener;
  /** The message on its way to the host right now. */
  delivering: unknown;
}

const TRANSPORT_HOOK = Symbol.for('toolscope.hooked');

/**
 * Listens to a transport.
 *
 * @param connected whether callbacks are installed already (a server that was connected before it was observed).
 */
export function hookTransport(
  transport: TransportShape & { readonly [TRANSPORT_HOOK]?: TransportHook },
  createListener: () => TransportListener,
  connected: boolean,
): void {
  const existing = transport[TRANSPORT_HOOK];
  if (existing !== undefined && connected) return;
  const hook = existing ?? { listener: createListener(), delivering: undefined };
  if (existing === undefined) {
    Object.defineProperty(transport, TRANSPORT_HOOK, { value: hook });
    if (!connected) interceptCallbacks(transport, hook);
    hookSend(transport, hook);
  }
  if (connected) hookCallbacks(transport, hook);
  else hookStart(transport, hook);
}

function hookStart(transport: TransportShape, hook: TransportHook): void {
  const own = Object.getOwnPropertyDescriptor(transport, 'start');
  const { start } = transport;
  overrideMethod(transport, 'start', function startObserved(...parameters) {
    neverThrow(() => {
      if (own) Object.defineProperty(transport, 'start', own);
      else Reflect.deleteProperty(transport, 'start');
      hookCallbacks(transport, hook);
    });
    const ready = neverThrow(() => hook.listener.ready?.());
    if (ready === undefined) return Reflect.apply(start, this, parameters);
    return ready.then(() => Reflect.apply(start, this, parameters));
  });
}

function hookCallbacks(transport: TransportShape, hook: TransportHook): void {
  const { onmessage, onclose } = transport;
  if (typeof onmessage === 'function') transport.onmessage = createOnMessage(onmessage, transport, hook);
  // What cannot be read may be there, and must not be replaced.
  if (findWriteOnlySetter(transport, 'onclose') === undefined)
    transport.onclose = createOnClose(onclose, hook);
}

function createOnClose(onclose: unknown, hook: TransportHook): AnyFunction {
  return function close(...parameters) {
    neverThrow(() => hook.listener.onClosed());
    return typeof onclose === 'function' ? Reflect.apply(onclose, this, parameters) : undefined;
  };
}

/** Some transports take a callback through a setter and show none: there it is met on its way in. */
function interceptCallbacks(transport: TransportShape, hook: TransportHook): void {
  intercept(transport, 'onmessage', (onmessage) => createOnMessage(onmessage, transport, hook));
  intercept(transport, 'onclose', (onclose) => createOnClose(onclose, hook));
}

function intercept(
  transport: TransportShape,
  name: CallbackName,
  wrap: (own: AnyFunction) => AnyFunction,
): void {
  const set = findWriteOnlySetter(transport, name);
  if (set === undefined) return;
  Object.defineProperty(transport, name, {
    configurable: true,
    enumerable: Object.getOwnPropertyDescriptor(transport, name)?.enumerable ?? false,
    set(given: unknown) {
      Reflect.apply(set, transport, [typeof given === 'function' ? wrap(given as AnyFunction) : given]);
    },
  });
}

type CallbackName = 'onmessage' | 'onclose';

/** The setter of a property that has no getter, of the object itself or inherited. */
function findWriteOnlySetter(transport: object, name: CallbackName): ((value: unknown) => void) | undefined {
  for (let at: object | null = transport; at !== null; at = Object.getPrototypeOf(at)) {
    const descriptor = Object.getOwnPropertyDescriptor(at, name);
    if (descriptor) return descriptor.get === undefined ? descriptor.set : undefined;
  }
  return undefined;
}

function createOnMessage(
  onmessage: AnyFunction,
  transport: TransportShape,
  hook: TransportHook,
): AnyFunction {
  return function receive(...parameters) {
    const [message, extra] = parameters;
    const deliver = () => Reflect.apply(onmessage, this, parameters);
    // A transport connected anew chains its old callback, and us in it, under the new one.
    if (hook.delivering === message) return deliver();
    const before = hook.delivering;
    hook.delivering = message;
    try {
      const call = neverThrow(() => hook.listener.received(message, extra));
      if (call === undefined) return deliver();
      const answer = neverThrow(() => hook.listener.answerInstead?.(call));
      if (answer === undefined) return runWithActiveCall(call, deliver);
      sendAfterDispatch(transport, answer);
      return undefined;
    } finally {
      hook.delivering = before;
    }
  };
}

/** An SDK answers when the message was dispatched, never while it is. */
function sendAfterDispatch(transport: TransportShape, answer: object): void {
  Promise.resolve()
    .then(() => transport.send(answer))
    .catch(() => {
      // The connection is gone, and with it whoever asked.
    });
}

/** `send` stays synchronous: v2's per-request transport picks the HTTP status by when it is called. */
function hookSend(transport: TransportShape, hook: TransportHook): void {
  const { send } = transport;
  overrideMethod(transport, 'send', function sendObserved(...parameters) {
    const [message, ...rest] = parameters;
    const rewritten = neverThrow(() => hook.listener.rewrite?.(message));
    neverThrow(() => hook.listener.sent(message, parameters[1]));
    return Reflect.apply(send, this, rewritten === undefined ? parameters : [rewritten, ...rest]);
  });
}

/** Shadows a method on one object, unseen by whoever lists its keys. */
export function overrideMethod(object: object, name: string, value: AnyFunction): void {
  Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: false });
}
