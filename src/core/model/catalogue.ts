// The tools a server offers, as it listed them: how never-called tools are known. A catalogue is complete or it is
// not used; "unknown" is a different answer from "no tools".

/** MCP's ToolAnnotations: hints of the author, not facts. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  /** From the tool's `_meta['toolscope/volatileArguments']`: arguments whose values mean nothing for the answer. */
  readonly volatileArguments?: readonly string[];
}

export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema, as listed. */
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: ToolAnnotations;
}

export interface Catalogue {
  /** 16 hex digits over the canonical definitions, in name order. */
  readonly hash: string;
  readonly tools: readonly ToolDefinition[];
}

/** One sighting of a catalogue: by a `tools/list` answer or by the start of a server. */
export interface CatalogueListing {
  readonly serverName: string;
  readonly serverVersion: string;
  readonly environment: string;
  /** Microseconds since the epoch. */
  readonly listedAtUs: number;
  /** `list`: an agent asked. `start`: the wrapper read it when the server started or hourly. */
  readonly origin: 'list' | 'start';
  readonly catalogue: Catalogue;
}
