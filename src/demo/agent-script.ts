// What a scripted agent is: a story it plays against one server, and the literals that story must leave behind.
// The literals are written by hand beside the story; the checker compares them with what the API reports.

/** One answer of a tool, as the agent sees it. A refused call is an answer too. */
export interface CallResult {
  readonly failed: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** One connection of an agent to a server. */
export interface AgentConnection {
  list(): Promise<readonly string[]>;
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<CallResult>;
  /** Waits as a model thinking between two calls would; nothing in a check. */
  think(ms: number): Promise<void>;
  close(): Promise<void>;
}

export const DEMO_SERVERS = [
  'everything',
  'filesystem',
  'memory',
  'sequential-thinking',
  'notes',
  'notes-http',
  'notes-modern',
] as const;

export type DemoServer = (typeof DEMO_SERVERS)[number];

export interface ConnectOptions {
  /** Sent as `_meta.traceparent` with every request: how a stateless agent says that its calls belong together. */
  readonly traceparent?: string;
}

export interface AgentEnvironment {
  /** A folder that the filesystem server may write in. */
  readonly folder: string;
  connect(server: DemoServer, options?: ConnectOptions): Promise<AgentConnection>;
}

/** What one tool must show after the story: its calls, and its errors by code. */
export interface ExpectedTool {
  readonly calls: number;
  readonly errors?: Readonly<Record<string, number>>;
}

export interface ExpectedTraffic {
  readonly server: DemoServer;
  readonly tools: Readonly<Record<string, ExpectedTool>>;
  /** `tools/call` count of each session that the story opens. */
  readonly sessions: readonly number[];
}

export interface AgentScript {
  /** The client name the agent gives. */
  readonly name: string;
  readonly expected: readonly ExpectedTraffic[];
  run(world: AgentEnvironment): Promise<void>;
}
