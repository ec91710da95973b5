// Which modules get a line that passes their server classes on, and that line.
import { describe, expect, test } from 'vitest';
import { addReceiverLine } from '../../../src/instrumentation/auto/source-hooks.ts';

const V1 = '/app/node_modules/@modelcontextprotocol/sdk/dist';
const V2 = '/app/node_modules/@modelcontextprotocol/server/dist';

describe('source of a module with a receiver line', () => {
  test.each<[string, string, string, string]>([
    [`${V1}/esm/server/index.js`, 'export class Server extends Protocol {}', 'Server', 'v1, ES module'],
    [`${V1}/cjs/server/index.js`, 'class Server extends protocol_js_1.Protocol {}', 'Server', 'v1, CommonJS'],
    [`${V1}/esm/server/mcp.js`, 'export class McpServer {}', 'McpServer', 'v1, the high-level server'],
    [`${V2}/mcp-oHn3ureC.mjs`, 'var Server = class extends Protocol {};', 'Server', 'v2 has hashed names'],
    [`file:///app/.pnpm/x${V2}/mcp.cjs`, 'var McpServer = class {};', 'McpServer', 'a URL, and pnpm'],
    [
      'C:\\app\\node_modules\\@modelcontextprotocol\\sdk\\dist\\esm\\server\\mcp.js',
      'export class McpServer {}',
      'McpServer',
      'a path of Windows',
    ],
  ])('%s passes its class on, because it declares %s: %s (%s)', (file, source, name) => {
    const changed = addReceiverLine(file, source);
    expect(changed?.startsWith(`${source}\n`)).toBe(true);
    expect(changed).toContain(`globalThis[Symbol.for('toolscope.auto')]?.(${name});`);
  });

  test.each<[string, string, string]>([
    [`${V1}/esm/client/index.js`, 'export class Client extends Protocol {}', 'it is no server'],
    [`${V1}/esm/server/stdio.js`, 'export class ServerTransport {}', 'only the exact names count'],
    ['/app/node_modules/other/dist/index.js', 'export class Server extends Base {}', 'it is no SDK'],
    [`${V1}/esm/server/index.d.ts`, 'export class Server extends Protocol {}', 'it is no code'],
  ])('%s stays as it is: %s, because %s', (file, source) => {
    expect(addReceiverLine(file, source)).toBeUndefined();
  });

  test('classes are passed on in the order in which a module declares them', () => {
    const source = 'var Server = class extends Protocol {};\nvar McpServer = class {};\n';
    const received: unknown[] = [];
    const key = Symbol.for('toolscope.auto');
    Reflect.set(globalThis, key, (one: { readonly name: string }) => received.push(one.name));
    new Function('Protocol', addReceiverLine(`${V2}/mcp.cjs`, source) ?? '')(Object);
    Reflect.deleteProperty(globalThis, key);
    expect(received).toEqual(['Server', 'McpServer']);
  });
});
