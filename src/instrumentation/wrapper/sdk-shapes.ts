// The used members of an MCP server and its transport, the same in SDK v1 (1.20 to 1.32) and v2; a type-level
// test checks them against the real classes. Methods take `never`, so that any signature fits.

export interface LowLevelServer {
  connect(transport: never): Promise<void>;
  setRequestHandler(...parameters: never[]): unknown;
}

export interface HighLevelServer {
  readonly server: LowLevelServer;
  connect(transport: never): Promise<void>;
}

export type ObservableServer = LowLevelServer | HighLevelServer;

/** Its methods are called through `Reflect.apply` with the host's own `this`. */
export interface TransportShape {
  onmessage?: AnyFunction | undefined;
  onclose?: AnyFunction | undefined;
  start: AnyFunction;
  send: AnyFunction;
  readonly sessionId?: unknown;
}

export type AnyFunction = (this: unknown, ...parameters: unknown[]) => unknown;
