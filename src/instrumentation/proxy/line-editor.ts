// Passes a stream through, and buffers whole lines only while a message may have to be appended to one. A
// line that has started to pass continues unbuffered; so does one that is too long.

export interface LineEditor {
  /** Takes the next bytes; returns the bytes to write now, in order. */
  push(chunk: Uint8Array): readonly Uint8Array[];
  /** Registers bytes that were already written; the rest of their last line is not held. */
  passed(chunk: Uint8Array): void;
  /** Ends the stream; returns a last line without a newline. */
  end(): readonly Uint8Array[];
}

export interface LineEditorOptions {
  /** Length of the longest line that is held, in bytes. */
  readonly maxBytes: number;
  /** Whether lines are held; called at the start of each line. */
  readonly isHolding: () => boolean;
  /** Returns the replacement of a line, both with line end; undefined leaves it unchanged. MUST NOT throw. */
  readonly edit: (line: Uint8Array) => Uint8Array | undefined;
}

const LF = 0x0a;

export function createLineEditor({ maxBytes, isHolding, edit }: LineEditorOptions): LineEditor {
  const held: Uint8Array[] = [];
  let length = 0;
  let line: 'none' | 'held' | 'passing' = 'none';

  function add(piece: Uint8Array): readonly Uint8Array[] {
    if (line === 'passing') return [piece];
    line = 'held';
    held.push(piece);
    length += piece.length;
    if (length <= maxBytes) return [];
    line = 'passing';
    return take();
  }

  function take(): Uint8Array[] {
    length = 0;
    return held.splice(0);
  }

  function finish(): readonly Uint8Array[] {
    const pieces = take();
    line = 'none';
    if (pieces.length === 0) return [];
    const whole = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    const edited = whole && edit(whole);
    return edited === undefined ? pieces : [edited];
  }

  return {
    push(chunk) {
      const out: Uint8Array[] = [];
      let from = 0;
      while (from < chunk.length) {
        if (line === 'none' && !isHolding()) {
          line = chunk.at(-1) === LF ? 'none' : 'passing';
          return [...out, chunk.subarray(from)];
        }
        const end = chunk.indexOf(LF, from) + 1;
        out.push(...add(chunk.subarray(from, end || chunk.length)));
        if (end > 0) out.push(...finish());
        from = end || chunk.length;
      }
      return out;
    },
    passed(chunk) {
      if (chunk.length > 0) line = chunk.at(-1) === LF ? 'none' : 'passing';
    },
    end: finish,
  };
}
