// What we touch of an MCP server and its transport, and nothing else: the same few members on SDK v1 (1.20 to 1.32) and
// v2. Structural, so that neither SDK is ever imported; a type-level test holds the real classes against it.
// Methods take `never`, so that any transport and any handler signature fits.

/** A low-level `Server` of either SDK. */
export interface LowLevelServer {
  connect(transport: never): Promise<void>;
  setRequestHandler(...parameters: never[]): unknown;
}

/** An `McpServer` of either SDK. */
export interface HighLevelServer {
  readonly server: LowLevelServer;
  connect(transport: never): Promise<void>;
}

/** Whatever `observe` takes. */
export type ObservableServer = LowLevelServer | HighLevelServer;

/** What a connected transport is for us; every call goes through `Reflect.apply` with the host's own `this`. */
export interface TransportShape {
  onmessage?: AnyFunction | undefined;
  onclose?: AnyFunction | undefined;
  start: AnyFunction;
  send: AnyFunction;
  readonly sessionId?: unknown;
}

export type AnyFunction = (this: unknown, ...parameters: unknown[]) => unknown;
