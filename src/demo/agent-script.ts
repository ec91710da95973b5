// The interface of a scripted agent: a scenario that it plays against one server, and the counts expected
// afterwards. The counts are literals, written by hand; the checker compares them with the API's responses.

/** One result of a tool, as the agent sees it; also for a rejected call. */
export interface CallResult {
  readonly failed: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

export interface AgentConnection {
  list(): Promise<readonly string[]>;
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<CallResult>;
  /** Waits like a model between two calls; returns immediately under `--check`. */
  think(ms: number): Promise<void>;
  close(): Promise<void>;
}

export type DemoServer =
  | 'everything'
  | 'filesystem'
  | 'memory'
  | 'sequential-thinking'
  | 'notes'
  | 'notes-http'
  | 'notes-modern';

export interface ConnectOptions {
  /** Sent as `_meta.traceparent` with every request; identifies the calls of a stateless agent as one run. */
  readonly traceparent?: string;
}

export interface AgentEnvironment {
  /** A folder in which the filesystem server may write. */
  readonly folder: string;
  connect(server: DemoServer, options?: ConnectOptions): Promise<AgentConnection>;
}

/** The expected calls of one tool, and its errors by code. */
export interface ExpectedTool {
  readonly calls: number;
  readonly errors?: Readonly<Record<string, number>>;
}

export interface ExpectedTraffic {
  readonly server: DemoServer;
  readonly tools: Readonly<Record<string, ExpectedTool>>;
  /** `tools/call` count of each session of the scenario. */
  readonly sessions: readonly number[];
}

export interface AgentScript {
  readonly name: string;
  readonly expected: readonly ExpectedTraffic[];
  run(environment: AgentEnvironment): Promise<void>;
}
