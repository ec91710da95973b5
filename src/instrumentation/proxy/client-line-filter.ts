// Filters the client's lines before they reach the server: reports each one and asks the guard about it. A
// rejected line is answered in place of the server.

import { METHOD_TOOLS_CALL } from '../../core/semconv/conventions.ts';
import { createLineFilter, type LineDecision, type LineFilter, type LongLineFilter } from './line-filter.ts';
import { type Outline, OutlineScanner } from './outline-scanner.ts';
import { toOutlinedMessage } from './outlined-message.ts';
import { MAX_PARSED_BYTES, parseMessageLine } from './parse-message-line.ts';

/** Bytes of a line that are held until its id, method and tool are known; larger than a client's buffers. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

export interface ClientLineFilterOptions {
  /** Reports a message before it is forwarded; returns the response to send instead, if any. */
  readonly decide: (
    message: unknown,
    settle: (answer: object | 'run') => void,
  ) => object | 'waiting' | undefined;
  /** Takes a line that waited, which passes now, or the response in its place. */
  readonly onSettled: (line: SettledLine) => void;
  /** Reports a message that was forwarded before the guard could decide. */
  readonly report: (message: unknown) => void;
  readonly onUnread: () => void;
}

export type SettledLine =
  | { readonly kind: 'line'; readonly bytes: Uint8Array }
  | { readonly kind: 'answer'; readonly bytes: Uint8Array };

const CR = 0x0d;

/** The decision, and the response in place of a line that does not pass. */
export type ClientLineDecision = LineDecision & { readonly answer?: Uint8Array };

export interface ClientLineFilter {
  push(chunk: Uint8Array): readonly ClientLineDecision[];
  end(): readonly ClientLineDecision[];
}

export function createClientLineFilter({
  decide,
  onSettled,
  report,
  onUnread,
}: ClientLineFilterOptions): ClientLineFilter {
  /** Responses in the order of the decisions that reject lines; undefined for a line that waits. */
  const answers: (Uint8Array | undefined)[] = [];

  /** @param line without it, as for a line that is forwarded in pieces, the call cannot wait and passes */
  function accept(message: unknown, line?: Uint8Array): boolean {
    const lineEnd = line?.at(-2) === CR ? '\r\n' : '\n';
    const toLine = (answer: object) => Buffer.from(`${JSON.stringify(answer)}${lineEnd}`);
    let waiting: Uint8Array | undefined;
    const answer = decideSafely(message, (late) => {
      if (late !== 'run') onSettled({ kind: 'answer', bytes: toLine(late) });
      else if (waiting !== undefined) onSettled({ kind: 'line', bytes: waiting });
    });
    if (answer === undefined || (answer === 'waiting' && line === undefined)) return true;
    if (answer === 'waiting') waiting = line && Buffer.from(line);
    answers.push(answer === 'waiting' ? undefined : toLine(answer));
    return false;
  }

  function decideSafely(...parameters: Parameters<typeof decide>): ReturnType<typeof decide> {
    try {
      return decide(...parameters);
    } catch {
      // An error in our own code must not stop a call.
      onUnread();
      return undefined;
    }
  }

  const filter: LineFilter = createLineFilter({
    maxBytes: MAX_PARSED_BYTES,
    maxHeldBytes: MAX_HELD_BYTES,
    accepts(line) {
      const read = parseMessageLine(line);
      if (read.kind === 'message') return accept(read.message, line);
      const outlined = read.kind === 'outline' ? toOutlinedMessage(read.outline) : undefined;
      if (outlined === undefined) {
        if (read.kind !== 'blank') onUnread();
        return true;
      }
      outlined.setBytes(line.length);
      return accept(outlined.message, line);
    },
    createLongLineFilter: () => createLongClientLine({ accept, report, onUnread }),
  });

  function withAnswers(decisions: readonly LineDecision[]): readonly ClientLineDecision[] {
    return decisions.map((decision) => {
      const answer = decision.passes ? undefined : answers.shift();
      return answer === undefined ? decision : { ...decision, answer };
    });
  }

  return {
    push: (chunk) => withAnswers(filter.push(chunk)),
    end: () => withAnswers(filter.end()),
  };
}

interface LongClientLineOptions extends Pick<ClientLineFilterOptions, 'report' | 'onUnread'> {
  readonly accept: (message: unknown) => boolean;
}

/** Decides about a line that is too long to buffer, as soon as its id, method and tool are known. */
function createLongClientLine({ accept, report, onUnread }: LongClientLineOptions): LongLineFilter {
  const scanner = new OutlineScanner();
  let acceptedMessage: ReturnType<typeof toOutlinedMessage>;
  let isDecided = false;

  return {
    read(piece) {
      if (acceptedMessage !== undefined) return true;
      scanner.scan(piece);
      const outline = scanner.outline();
      if (isDecided || !isDecidable(outline)) return undefined;
      isDecided = true;
      acceptedMessage = isCall(outline) ? toOutlinedMessage(outline) : undefined;
      return acceptedMessage === undefined || accept(acceptedMessage.message);
    },
    end(length) {
      const whole = acceptedMessage ?? toOutlinedMessage(scanner.outline());
      whole?.setBytes(length);
      if (acceptedMessage !== undefined) return true;
      if (whole === undefined) onUnread();
      else if (!isDecided) return accept(whole.message);
      else report(whole.message);
      return true;
    },
  };
}

function isCall({ method, id }: Outline): boolean {
  return method === METHOD_TOOLS_CALL && id !== undefined;
}

function isDecidable({ id, method, name, hasResult, error }: Outline): boolean {
  if (method === METHOD_TOOLS_CALL) return id !== undefined && name !== undefined;
  return method !== undefined || hasResult || error !== undefined;
}
