// Reads the members at the end of a JSON object whose beginning is not known: a client or server may write the
// id after the values of a message.

/** Bytes at the end of a message that are read; more than its id, method and tool take. */
export const TAIL_BYTES = 4 * 1024;

/** A name and a value as JSON. */
type Member = readonly [name: string, json: string];

export interface MessageTail {
  /** The last members of the message that are strings, numbers or literals. */
  readonly members: readonly Member[];
  /** Those of the object before them. */
  readonly lastMembers: readonly Member[];
}

/**
 * A member with a string, number or literal at the end. In valid JSON, a quote between a comma and a name begins
 * that name: a quote inside a string is escaped, and one that ends a string is followed by no name.
 */
const LAST_MEMBER = /,\s*"([^"\\]*)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)\s*$/;

/** @param tail the last bytes of valid JSON; otherwise what is returned has no meaning */
export function parseMessageTail(tail: Uint8Array): MessageTail {
  const text = Buffer.from(tail.subarray(-TAIL_BYTES)).toString();
  const outer = parseLastMembers(text);
  const inner = outer && parseLastMembers(outer.rest);
  return { members: outer?.members ?? [], lastMembers: inner?.members ?? [] };
}

/** Undefined when the text does not end with the end of an object. */
function parseLastMembers(text: string): { readonly members: Member[]; readonly rest: string } | undefined {
  const end = text.trimEnd();
  if (!end.endsWith('}')) return undefined;
  let rest = end.slice(0, -1);
  const members: Member[] = [];
  for (let match = LAST_MEMBER.exec(rest); match !== null; match = LAST_MEMBER.exec(rest)) {
    const [, name = '', json = ''] = match;
    // The last member of a name counts, as in JSON.parse.
    if (!members.some(([known]) => known === name)) members.push([name, json]);
    rest = rest.slice(0, match.index);
  }
  return { members, rest };
}
