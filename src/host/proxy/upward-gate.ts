// The client's lines before they reach the server: each is read, reported and asked about; one that may not run is answered
// in place of the server.

import { METHOD_TOOLS_CALL } from '../../core/semconv/conventions.ts';
import { createLineGate, type GateRuling, type LineGate, type LongLine } from './line-gate.ts';
import { createOutlineScanner, type Outline } from './outline-scanner.ts';
import { toOutlinedMessage } from './outlined-message.ts';
import { MAX_PARSED_BYTES, readLine } from './read-line.ts';

/** Bytes of a line that are held while its id, method and tool are not known; a client's buffers hold less. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

export interface UpwardGateOptions {
  /** Reports a message that has not gone on; returns the answer to give instead of passing it. */
  readonly ask: (message: unknown) => object | undefined;
  /** Reports a message that went on before it could be asked about. */
  readonly report: (message: unknown) => void;
  readonly unread: () => void;
}

const CR = 0x0d;

/** What is ruled, and the answer in place of a line that does not pass. */
export type UpwardRuling = GateRuling & { readonly answer?: Uint8Array };

export interface UpwardGate {
  push(chunk: Uint8Array): readonly UpwardRuling[];
  end(): readonly UpwardRuling[];
}

/** Creates the gate of one connection. */
export function createUpwardGate({ ask, report, unread }: UpwardGateOptions): UpwardGate {
  /** Answers in the order of the rulings that keep their lines back. */
  const answers: Uint8Array[] = [];

  function admit(message: unknown, lineEnd = '\n'): boolean {
    const answer = askSafely(message);
    if (answer === undefined) return true;
    answers.push(Buffer.from(`${JSON.stringify(answer)}${lineEnd}`));
    return false;
  }

  function askSafely(message: unknown): object | undefined {
    try {
      return ask(message);
    } catch {
      // Our own reading of it failed: that stops nobody's call.
      unread();
      return undefined;
    }
  }

  const gate: LineGate = createLineGate({
    maxBytes: MAX_PARSED_BYTES,
    maxHeldBytes: MAX_HELD_BYTES,
    admits(line) {
      const read = readLine(line);
      const lineEnd = line.at(-2) === CR ? '\r\n' : '\n';
      if (read.kind === 'message') return admit(read.message, lineEnd);
      const outlined = read.kind === 'outline' ? toOutlinedMessage(read.outline) : undefined;
      if (outlined === undefined) {
        if (read.kind !== 'blank') unread();
        return true;
      }
      outlined.setBytes(line.length);
      return admit(outlined.message, lineEnd);
    },
    openLong: () => openLong({ admit, report, unread }),
  });

  function withAnswers(rulings: readonly GateRuling[]): readonly UpwardRuling[] {
    return rulings.map((ruling) => {
      const answer = ruling.passes ? undefined : answers.shift();
      return answer === undefined ? ruling : { ...ruling, answer };
    });
  }

  return {
    push: (chunk) => withAnswers(gate.push(chunk)),
    end: () => withAnswers(gate.end()),
  };
}

interface LongLineOptions extends Pick<UpwardGateOptions, 'report' | 'unread'> {
  readonly admit: (message: unknown) => boolean;
}

/** A line that is too long to be kept: whether it runs is decided by its id, method and tool, as soon as they are known. */
function openLong({ admit, report, unread }: LongLineOptions): LongLine {
  const scanner = createOutlineScanner();
  let asked: ReturnType<typeof toOutlinedMessage>;
  let isDecided = false;

  return {
    read(piece) {
      if (asked !== undefined) return true;
      scanner.scan(piece);
      const outline = scanner.outline();
      if (isDecided || !isEnough(outline)) return undefined;
      isDecided = true;
      asked = isCall(outline) ? toOutlinedMessage(outline) : undefined;
      return asked === undefined || admit(asked.message);
    },
    end(length) {
      const whole = asked ?? toOutlinedMessage(scanner.outline());
      whole?.setBytes(length);
      if (asked !== undefined) return true;
      if (whole === undefined) unread();
      else if (!isDecided) return admit(whole.message);
      else report(whole.message);
      return true;
    },
  };
}

function isCall({ method, id }: Outline): boolean {
  return method === METHOD_TOOLS_CALL && id !== undefined;
}

function isEnough({ id, method, name, hasResult, error }: Outline): boolean {
  if (method === METHOD_TOOLS_CALL) return id !== undefined && name !== undefined;
  return method !== undefined || hasResult || error !== undefined;
}
