// Lines of any length, flat or nested, as a client and a server write them.

export interface LineShape {
  /** Bytes of a line, roughly; 1 is a line of one byte. */
  readonly size: number;
  readonly shape: 'flat' | 'nested';
}

/** Ids are the same again only after so many bytes. */
const CORPUS_BYTES = 4 * 1024 * 1024;

/**
 * A text of whole lines, as long as one line at least. The client's are calls of a tool, the server's are notifications:
 * so a call is never answered, and no guard has a reason to speak.
 */
export function createLines(from: 'client' | 'server', { size, shape }: LineShape): Buffer {
  if (size === 1) return Buffer.from('1\n'.repeat(CORPUS_BYTES / 2));
  const count = Math.max(1, Math.floor(CORPUS_BYTES / size));
  const filling = shape === 'flat' ? 'x'.repeat(size) : '{"a":[1]},'.repeat(size / 10);
  const value = shape === 'flat' ? `"${filling}"` : `[${filling}{}]`;
  const all = Array.from({ length: count }, (_, id) => Buffer.from(`${toLine(from, id, value)}\n`));
  return Buffer.concat(all);
}

function toLine(from: 'client' | 'server', id: number, value: string): string {
  if (from === 'server')
    return `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${value}}}`;
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","arguments":{"value":${value}}}}`;
}
