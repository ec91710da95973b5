// The help entry of `wrap`. The command in wrap.ts parses its own arguments, because everything after its
// options belongs to another program.

import type { CommandMeta } from '../command.ts';

export const wrapMeta: CommandMeta = {
  name: 'wrap',
  summary: 'run an MCP server over stdio, in any language, and report its calls',
  operands: ' [--] <command> [arguments…]',
  options: [],
  examples: [
    'toolscope wrap --help',
    'toolscope wrap -- npx -y @modelcontextprotocol/server-filesystem /data',
  ],
};
