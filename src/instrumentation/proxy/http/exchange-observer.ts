// Turns the parts of HTTP exchanges into messages of connections. Free of side effects except for its ports.

import type { Instant, OpenCall } from '../../../core/observer/observed-call.ts';
import type { Implementation } from '../../../core/observer/request-facts.ts';
import { BoundedMap } from '../../../core/values/bounded-map.ts';
import { type BodyReader, createBodyReader } from './body-reader.ts';
import { Exchange, type ExchangeContext } from './exchange.ts';
import type { ExchangeEnd, HttpPart, MessageSource, RequestHead, ResponseHead } from './http-part.ts';
import { createHttpSessions, toEndpointPath } from './http-sessions.ts';

export interface ExchangeObserverOptions extends Pick<ExchangeContext, 'connect'> {
  /** Counts calls whose requests were not read. */
  readonly countLost: (calls: number) => void;
  /** Called with an open call whose answer was not read, before it ends. */
  readonly onUnread: (call: OpenCall) => void;
}

export interface ExchangeObserver {
  take(part: HttpPart): void;
}

interface RunningExchange {
  readonly exchange: Exchange;
  readonly readers: Record<MessageSource, BodyReader | undefined>;
  readonly isUnread: Record<MessageSource, boolean>;
  at: Instant;
}

const BAD_GATEWAY = 502;
/** Bounds memory: paths come from clients. */
const MAX_PATHS = 1_000;

export function createExchangeObserver(options: ExchangeObserverOptions): ExchangeObserver {
  const running = new Map<number, RunningExchange>();
  const sessions = createHttpSessions();
  const context = { connect: options.connect, servers: new BoundedMap<string, Implementation>(MAX_PATHS) };

  function begin(head: RequestHead, encoding: string, at: Instant): RunningExchange {
    const exchange = new Exchange(head, context);
    const endpoint = toEndpointPath(head.path, '/');
    exchange.session = head.session === '' ? sessions.at(endpoint) : sessions.open(head.session);
    const opened: RunningExchange = {
      exchange,
      readers: { request: undefined, response: undefined },
      isUnread: { request: false, response: false },
      at,
    };
    if (head.method === 'POST')
      opened.readers.request = createBodyReader(
        // Decoding takes turns of the event loop, and the request must be read before its response.
        { contentType: 'application/json', encoding: encoding === '' ? '' : 'unknown' },
        { ...NO_EVENTS, onMessage: (message) => exchange.receive(message, opened.at) },
      );
    opened.isUnread.request = head.method === 'POST' && opened.readers.request === undefined;
    return opened;
  }

  function respond(opened: RunningExchange, head: ResponseHead): void {
    const { exchange } = opened;
    exchange.response = head;
    if (head.session !== '') exchange.session ??= sessions.open(head.session);
    exchange.openHeld();
    opened.readers.response = createBodyReader(head, {
      onMessage: (message) => exchange.send(message, opened.at),
      onEndpoint(address) {
        exchange.hasEndpoint = true;
        exchange.session = sessions.openAt(toEndpointPath(address, exchange.head.path));
      },
      onEventId() {
        exchange.isResumable = true;
      },
    });
    opened.isUnread.response ||= opened.readers.response === undefined;
  }

  function finish(opened: RunningExchange, how: ExchangeEnd): void {
    const { exchange, at } = opened;
    exchange.openHeld();
    exchange.isEnded = true;
    if (opened.isUnread.request) options.countLost(1);
    if (exchange.openCalls().length > 0) endUnanswered(opened, how);
    else exchange.close(at);
    if (isSessionOver(exchange)) endSession(exchange, at);
  }

  function endUnanswered({ exchange, isUnread, at }: RunningExchange, how: ExchangeEnd): void {
    const status = how === 'unreachable' ? BAD_GATEWAY : (exchange.response?.status ?? 0);
    if (isUnread.response) for (const call of exchange.openCalls()) options.onUnread(call);
    else if (status >= 400) exchange.refuse(status, at);
    if (isUnread.response || !mayBeAnsweredLater(exchange)) exchange.close(at);
  }

  function endSession({ session }: Exchange, at: Instant): void {
    if (session === undefined) return;
    for (const exchange of [...session.exchanges]) exchange.close(at);
    sessions.delete(session);
  }

  function end(opened: RunningExchange, how: ExchangeEnd): void {
    const reader = opened.readers.response;
    if (reader === undefined || opened.isUnread.response) finish(opened, how);
    else reader.end(() => finish(opened, how));
  }

  function lose({ readers, isUnread }: RunningExchange, from: MessageSource): void {
    readers[from] = undefined;
    isUnread[from] = true;
  }

  return {
    take(part) {
      if (part.kind === 'request') {
        running.set(part.exchange, begin(part.head, part.encoding, part.at));
        return;
      }
      const opened = running.get(part.exchange);
      if (opened === undefined) return;
      if (isMoment(part)) opened.at = part.at;
      if (part.kind === 'bytes') opened.readers[part.from]?.push(part.bytes);
      else if (part.kind === 'sent') opened.readers.request?.end(() => {});
      else if (part.kind === 'response') respond(opened, part.head);
      else if (part.kind === 'gap') lose(opened, part.from);
      else {
        running.delete(part.exchange);
        end(opened, part.how);
      }
    },
  };
}

/** What is complete was complete with its last bytes: the event that says so may come later. */
function isMoment(part: HttpPart): boolean {
  return (
    part.kind === 'bytes' || part.kind === 'response' || (part.kind === 'end' && part.how !== 'complete')
  );
}

const NO_EVENTS = { onEndpoint: () => {}, onEventId: () => {} };

/** On the stream of the session, or after the client has resumed this one. */
function mayBeAnsweredLater({ session, isResumable }: Exchange): boolean {
  return session !== undefined && (session.isLegacy || isResumable);
}

function isSessionOver({ head, response, hasEndpoint }: Exchange): boolean {
  const isDeleted = head.method === 'DELETE' && response !== undefined && response.status < 300;
  return hasEndpoint || isDeleted;
}
