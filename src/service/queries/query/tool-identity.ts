// A tool of a server, and its key for joining several reads.

export interface ToolIdentity {
  readonly server: string;
  readonly tool: string;
}

/** A server and tool as one key. */
export function toToolKey({ server, tool }: ToolIdentity): string {
  return `${server}\n${tool}`;
}

/** Each tool of the rows once, in order of first occurrence. */
export function listTools(...rows: readonly (readonly ToolIdentity[])[]): ToolIdentity[] {
  const tools = rows
    .flat()
    .map(({ server, tool }) => [toToolKey({ server, tool }), { server, tool }] as const);
  return [...new Map(tools).values()];
}
