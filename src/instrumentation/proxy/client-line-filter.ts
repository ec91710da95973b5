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
  readonly decide: (message: unknown) => object | undefined;
  /** Reports a message that was forwarded before the guard could decide. */
  readonly report: (message: unknown) => void;
  readonly onUnread: () => void;
}

const CR = 0x0d;

/** The decision, and the response in place of a line that does not pass. */
export type ClientLineDecision = LineDecision & { readonly answer?: Uint8Array };

export interface ClientLineFilter {
  push(chunk: Uint8Array): readonly ClientLineDecision[];
  end(): readonly ClientLineDecision[];
}

export function createClientLineFilter({
  decide,
  report,
  onUnread,
}: ClientLineFilterOptions): ClientLineFilter {
  /** Responses in the order of the decisions that reject lines. */
  const answers: Uint8Array[] = [];

  function accept(message: unknown, lineEnd = '\n'): boolean {
    const answer = decideSafely(message);
    if (answer === undefined) return true;
    answers.push(Buffer.from(`${JSON.stringify(answer)}${lineEnd}`));
    return false;
  }

  function decideSafely(message: unknown): object | undefined {
    try {
      return decide(message);
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
      const lineEnd = line.at(-2) === CR ? '\r\n' : '\n';
      if (read.kind === 'message') return accept(read.message, lineEnd);
      const outlined = read.kind === 'outline' ? toOutlinedMessage(read.outline) : undefined;
      if (outlined === undefined) {
        if (read.kind !== 'blank') onUnread();
        return true;
      }
      outlined.setBytes(line.length);
      return accept(outlined.message, lineEnd);
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
