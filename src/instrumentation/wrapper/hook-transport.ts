// Hooks a transport in place, because SDKs check its class and private fields. This happens at `start`, when
// callbacks are set and no message was delivered. Callbacks are assigned normally, because some transports
// define accessors for them.

import { runWithActiveCall, type WrapperCall } from './active-call.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction, TransportShape } from './sdk-shapes.ts';

/** Receives a transport's events; its exceptions do not affect the host. */
export interface TransportListener {
  received(message: unknown, extra: unknown): WrapperCall | undefined;
  sent(message: unknown, options: unknown): void;
  onClosed(): void;
  /**
   * Returns the response to a call that must not reach the host; called directly after its receipt.
   * @param settle takes the decision about a call that is `waiting`: a response, or `run`
   */
  answerInstead?(call: WrapperCall, settle: (answer: object | 'run') => void): object | 'waiting' | undefined;
  /** Returns the replacement of a message that the host sends; undefined leaves it unchanged. */
  rewrite?(message: unknown): object | undefined;
  /** Resolves when the listener is ready for the first message; undefined when it already is. */
  ready?(): Promise<void> | undefined;
}

/** Stored on the transport itself, so that it is hooked only once even if it is connected repeatedly. */
interface TransportHook {
  readonly listener: TransportListener;
  delivering: unknown;
}

const TRANSPORT_HOOK = Symbol.for('toolscope.hooked');

/** @param connected whether callbacks are already set (the server was connected before it was observed) */
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
  // A write-only property may be set although it cannot be read, and must not be replaced.
  if (findWriteOnlySetter(transport, 'onclose') === undefined)
    transport.onclose = createOnClose(onclose, hook);
}

function createOnClose(onclose: unknown, hook: TransportHook): AnyFunction {
  return function close(...parameters) {
    neverThrow(() => hook.listener.onClosed());
    return typeof onclose === 'function' ? Reflect.apply(onclose, this, parameters) : undefined;
  };
}

/** Some transports accept a callback through a setter without a getter; the hook then replaces the setter. */
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

/** Returns the setter of an own or inherited property that has no getter. */
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
    // A reconnected transport chains its old callback, which includes this hook, under the new one.
    if (hook.delivering === message) return deliver();
    const before = hook.delivering;
    hook.delivering = message;
    try {
      const call = neverThrow(() => hook.listener.received(message, extra));
      if (call === undefined) return deliver();
      const answer = neverThrow(() =>
        hook.listener.answerInstead?.(call, (late) => {
          if (late === 'run') deliverLate(() => runWithActiveCall(call, deliver), { hook, message });
          else sendAfterDispatch(transport, late);
        }),
      );
      if (answer === undefined) return runWithActiveCall(call, deliver);
      if (answer !== 'waiting') sendAfterDispatch(transport, answer);
      return undefined;
    } finally {
      hook.delivering = before;
    }
  };
}

interface LateDelivery {
  readonly hook: TransportHook;
  readonly message: unknown;
}

/** Delivers a call that waited, in a turn of its own. */
function deliverLate(deliver: () => unknown, { hook, message }: LateDelivery): void {
  queueMicrotask(() => {
    const before = hook.delivering;
    hook.delivering = message;
    try {
      deliver();
    } finally {
      hook.delivering = before;
    }
  });
}

/** Sends a response after the dispatch: SDKs never respond while a message is being dispatched. */
function sendAfterDispatch(transport: TransportShape, answer: object): void {
  Promise.resolve()
    .then(() => transport.send(answer))
    .catch(() => {
      // The connection is closed, so there is no recipient.
    });
}

/** Stays synchronous: v2's per-request transport chooses the HTTP status by the time of the call. */
function hookSend(transport: TransportShape, hook: TransportHook): void {
  const { send } = transport;
  overrideMethod(transport, 'send', function sendObserved(...parameters) {
    const [message, ...rest] = parameters;
    const rewritten = neverThrow(() => hook.listener.rewrite?.(message));
    neverThrow(() => hook.listener.sent(message, parameters[1]));
    return Reflect.apply(send, this, rewritten === undefined ? parameters : [rewritten, ...rest]);
  });
}

/** Overrides a method on one object with a non-enumerable property. */
export function overrideMethod(object: object, name: string, value: AnyFunction): void {
  Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: false });
}
