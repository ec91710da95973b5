// The MCP clients whose configurations `install` knows: where the files are, in which format, and where servers stand in them.

import { join } from 'node:path';
import type { ConfigTree } from './config-tree.ts';
import { parseJsonc } from './parse-jsonc.ts';
import { parseToml } from './parse-toml.ts';
import { parseYaml } from './parse-yaml.ts';
import type { ContainerPath } from './server-entries.ts';

/** The directories of one user, with what differs between systems. */
export interface UserDirectories {
  readonly home: string;
  /** Where desktop applications keep settings: `~/.config`, `~/Library/Application Support` or `%APPDATA%`. */
  readonly applications: string;
  /** `$XDG_CONFIG_HOME` or `~/.config`, on each system. */
  readonly config: string;
  /** `$CODEX_HOME` or `~/.codex`. */
  readonly codex: string;
  readonly current: string;
}

export interface McpClient {
  /** As on the command line. */
  readonly id: string;
  readonly name: string;
  /** Of the user first, then of the project in the current directory. */
  readonly files: (directories: UserDirectories) => readonly string[];
  readonly containers: readonly ContainerPath[];
  readonly parse: (text: string) => ConfigTree;
}

const MCP_SERVERS: readonly ContainerPath[] = [['mcpServers']];

export const MCP_CLIENTS: readonly McpClient[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    files: ({ applications }) => [join(applications, 'Claude', 'claude_desktop_config.json')],
    containers: MCP_SERVERS,
    parse: parseJsonc,
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    files: ({ home, current }) => [join(home, '.claude.json'), join(current, '.mcp.json')],
    containers: [['mcpServers'], ['projects', '*', 'mcpServers']],
    parse: parseJsonc,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    files: ({ home, current }) => [join(home, '.cursor', 'mcp.json'), join(current, '.cursor', 'mcp.json')],
    containers: MCP_SERVERS,
    parse: parseJsonc,
  },
  {
    id: 'vscode',
    name: 'VS Code',
    files: ({ applications, current }) => [
      join(applications, 'Code', 'User', 'mcp.json'),
      join(current, '.vscode', 'mcp.json'),
    ],
    containers: [['servers']],
    parse: parseJsonc,
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    files: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
    containers: MCP_SERVERS,
    parse: parseJsonc,
  },
  {
    id: 'codex',
    name: 'Codex',
    files: ({ codex, current }) => [join(codex, 'config.toml'), join(current, '.codex', 'config.toml')],
    containers: [['mcp_servers']],
    parse: parseToml,
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    files: ({ config, current }) =>
      [join(config, 'opencode'), current].flatMap((folder) => [
        join(folder, 'opencode.json'),
        join(folder, 'opencode.jsonc'),
      ]),
    containers: [['mcp']],
    parse: parseJsonc,
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    files: ({ home, current }) => [
      join(home, '.gemini', 'settings.json'),
      join(current, '.gemini', 'settings.json'),
    ],
    containers: MCP_SERVERS,
    parse: parseJsonc,
  },
  {
    id: 'zed',
    name: 'Zed',
    files: ({ config, current }) => [
      join(config, 'zed', 'settings.json'),
      join(current, '.zed', 'settings.json'),
    ],
    containers: [['context_servers']],
    parse: parseJsonc,
  },
  {
    id: 'goose',
    name: 'Goose',
    files: ({ config }) => [join(config, 'goose', 'config.yaml')],
    containers: [['extensions']],
    parse: parseYaml,
  },
];
