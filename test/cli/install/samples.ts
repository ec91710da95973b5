// Configurations as people have them: comments, trailing commas, CRLF, unknown keys, wrapped servers and servers with a URL.
import { join } from 'node:path';
import { MCP_CLIENTS, type McpClient } from '../../../src/cli/install/clients.ts';

export interface Sample {
  readonly what: string;
  readonly client: string;
  readonly text: string;
  /** The lines that differ once each server is wrapped. */
  readonly diff: readonly string[];
}

export const LAUNCHER = {
  node: '/usr/bin/node',
  script: join('/opt', 'toolscope', 'dist', 'cli', 'main.js'),
};
const SCRIPT = JSON.stringify(LAUNCHER.script);

export function findClient(id: string): McpClient {
  const client = MCP_CLIENTS.find((one) => one.id === id);
  if (client === undefined) throw new Error(`${id} is no client`);
  return client;
}

export const SAMPLES: readonly Sample[] = [
  {
    what: 'a list on one line',
    client: 'claude-desktop',
    text: `{
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server-files", "/data"] }
  },
  "globalShortcut": ""
}
`,
    diff: [
      '-     "files": { "command": "npx", "args": ["-y", "server-files", "/data"] }',
      `+     "files": { "command": "/usr/bin/node", "args": [${SCRIPT}, "wrap", "--name", "files", "--", "npx", "-y", "server-files", "/data"] }`,
    ],
  },
  {
    what: 'one item per line, with comments and trailing commas',
    client: 'zed',
    text: `// Zed settings
{
  "theme": "One", /* kept */
  "context_servers": {
    "files": {
      "command": "npx", // runs it
      "args": [
        // first
        "-y",
        "server-files",
      ],
      "env": { "A": "1" },
    },
  },
}`,
    diff: [
      '-       "command": "npx", // runs it',
      '+       "command": "/usr/bin/node", // runs it',
      `+         ${SCRIPT},`,
      '+         "wrap",',
      '+         "--name",',
      '+         "files",',
      '+         "--",',
      '+         "npx",',
    ],
  },
  {
    what: 'an older command of Zed, with path and args',
    client: 'zed',
    text: '{"context_servers":{"a b":{"command":{"path":"uvx","args":["x"],"env":null},"settings":{}}}}',
    diff: [
      '- {"context_servers":{"a b":{"command":{"path":"uvx","args":["x"],"env":null},"settings":{}}}}',
      `+ {"context_servers":{"a b":{"command":{"path":"/usr/bin/node","args":[${SCRIPT}, "wrap", "--name", "a b", "--", "uvx", "x"],"env":null},"settings":{}}}}`,
    ],
  },
  {
    what: 'no arguments, CRLF and tabs',
    client: 'cursor',
    text: '{\r\n\t"mcpServers": {\r\n\t\t"one": {\r\n\t\t\t"command": "/opt/one",\r\n\t\t\t"env": {}\r\n\t\t}\r\n\t}\r\n}\r\n',
    diff: [
      '- \t\t\t"command": "/opt/one",',
      '+ \t\t\t"command": "/usr/bin/node",',
      `+ \t\t\t"args": [${SCRIPT}, "wrap", "--name", "one", "--", "/opt/one"],`,
    ],
  },
  {
    what: 'an empty list of arguments and a byte order mark',
    client: 'windsurf',
    text: '\uFEFF{ "mcpServers": { "one": { "args": [], "command": "one", "disabled": false } } }',
    diff: [
      '- \uFEFF{ "mcpServers": { "one": { "args": [], "command": "one", "disabled": false } } }',
      `+ \uFEFF{ "mcpServers": { "one": { "args": [${SCRIPT}, "wrap", "--name", "one", "--", "one"], "command": "/usr/bin/node", "disabled": false } } }`,
    ],
  },
  {
    what: 'servers with a URL and servers that are wrapped by hand stay',
    client: 'vscode',
    text: `{
  "inputs": [{ "id": "token", "password": true }],
  "servers": {
    "remote": { "type": "http", "url": "https://example.com/mcp" },
    "mine": { "command": "toolscope", "args": ["wrap", "--", "one"] },
    "npx": { "command": "npx", "args": ["-y", "toolscope", "wrap", "--", "one"] }
  }
}`,
    diff: [],
  },
  {
    what: 'projects have servers of their own',
    client: 'claude-code',
    text: `{
  "projects": { "/work": { "mcpServers": { "db": { "type": "stdio", "command": "db", "args": ["\\u00e9\\"x"] } } } },
  "numStartups": 12.5e3
}`,
    diff: [
      '-   "projects": { "/work": { "mcpServers": { "db": { "type": "stdio", "command": "db", "args": ["\\u00e9\\"x"] } } } },',
      `+   "projects": { "/work": { "mcpServers": { "db": { "type": "stdio", "command": "/usr/bin/node", "args": [${SCRIPT}, "wrap", "--name", "db", "--", "db", "\\u00e9\\"x"] } } } },`,
    ],
  },
  {
    what: 'the command line is one list',
    client: 'opencode',
    text: `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "files": { "type": "local", "command": ["npx", "server-files"], "environment": { "A": "b" } },
    "remote": { "type": "remote", "url": "https://example.com" }
  }
}`,
    diff: [
      '-     "files": { "type": "local", "command": ["npx", "server-files"], "environment": { "A": "b" } },',
      `+     "files": { "type": "local", "command": ["/usr/bin/node", ${SCRIPT}, "wrap", "--name", "files", "--", "npx", "server-files"], "environment": { "A": "b" } },`,
    ],
  },
  {
    what: 'a table of TOML, with comments and a list over several lines',
    client: 'codex',
    text: `model = "o3" # kept
notice = """
[mcp_servers.text]
command = "no"
"""

[mcp_servers.files]
command = 'npx' # runs it
args = [
  "-y", # yes
  "server-files",
]
startup_timeout_sec = 20

[mcp_servers.files.env]
A = "1"

[[profiles]]
command = "other"
`,
    diff: [
      "- command = 'npx' # runs it",
      '+ command = "/usr/bin/node" # runs it',
      `+   ${SCRIPT},`,
      '+   "wrap",',
      '+   "--name",',
      '+   "files",',
      '+   "--",',
      '+   "npx",',
    ],
  },
  {
    what: 'a table without arguments, an inline table and a dotted key',
    client: 'codex',
    text: `[mcp_servers]
inline = { command = "a", args = ["b"] }
"dotted name".command = "c"

[mcp_servers.remote]
url = "https://example.com"

[mcp_servers.last]
command = "d" # no arguments`,
    diff: [
      '- inline = { command = "a", args = ["b"] }',
      '- "dotted name".command = "c"',
      `+ inline = { command = "/usr/bin/node", args = [${SCRIPT}, "wrap", "--name", "inline", "--", "a", "b"] }`,
      '+ "dotted name".command = "/usr/bin/node"',
      `+ "dotted name".args = [${SCRIPT}, "wrap", "--name", "dotted name", "--", "c"]`,
      '- command = "d" # no arguments',
      '+ command = "/usr/bin/node" # no arguments',
      `+ args = [${SCRIPT}, "wrap", "--name", "last", "--", "d"]`,
    ],
  },
  {
    what: 'block and flow lists of YAML, with comments',
    client: 'goose',
    text: `# goose
GOOSE_MODEL: x
extensions:
  block:
    cmd: npx # runs it
    args:
      - -y
      # the package
      - server-files
    type: stdio
  flow:
    args: [a, 'b c']
    cmd: 'flow'
  none:
    cmd: none
    enabled: true
  builtin:
    type: builtin
  remote: { type: sse, uri: "https://example.com" }
`,
    diff: [
      '-     cmd: npx # runs it',
      '+     cmd: "/usr/bin/node" # runs it',
      `+       - ${SCRIPT}`,
      '+       - "wrap"',
      '+       - "--name"',
      '+       - "block"',
      '+       - "--"',
      '+       - "npx"',
      "-     args: [a, 'b c']",
      "-     cmd: 'flow'",
      `+     args: [${SCRIPT}, "wrap", "--name", "flow", "--", "flow", a, 'b c']`,
      '+     cmd: "/usr/bin/node"',
      '-     cmd: none',
      '+     cmd: "/usr/bin/node"',
      `+     args: [${SCRIPT}, "wrap", "--name", "none", "--", "none"]`,
    ],
  },
];
