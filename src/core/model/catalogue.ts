// The tools that a server offers, as it listed them; the basis for finding tools that are never called. Only
// a complete catalogue is used: "unknown" is not the same as "no tools".

/** MCP's ToolAnnotations: hints from the tool's author, not facts. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  /**
   * From the tool's `_meta['toolscope/volatileArguments']`: arguments whose values do not affect the answer.
   */
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

/** One observed listing of a catalogue, from a `tools/list` answer or from a server's start. */
export interface CatalogueListing {
  readonly serverName: string;
  readonly serverVersion: string;
  readonly environment: string;
  /** Microseconds since the epoch. */
  readonly listedAtUs: number;
  /**
   * `list`: an agent sent `tools/list`. `start`: the wrapper read it at server start or in its hourly
   * refresh.
   */
  readonly origin: 'list' | 'start';
  readonly catalogue: Catalogue;
}
