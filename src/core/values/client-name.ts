// The name of a client that connects through a proxy.

/** mcp-remote appends itself to the name of the client that started it: "Claude (via mcp-remote 0.1.37)". */
const VIA_PROXY = /^(.{1,200}?) \(via mcp-remote(?: [\w.+-]{1,40})?\)$/;

/**
 * The client's own name, so that one client is one row however it connects.
 *
 * @param name as sent in `clientInfo`
 */
export function toClientName(name: string): string {
  return VIA_PROXY.exec(name)?.[1] ?? name;
}
