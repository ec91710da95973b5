// Which client a name stands for.
import { expect, test } from 'vitest';
import { toClientName } from '../../../src/core/values/client-name.ts';

test.each([
  ['Claude (via mcp-remote 0.1.37)', 'Claude', 'the proxy and its version are no part of the name'],
  ['claude-ai (via mcp-remote)', 'claude-ai', 'a proxy without a version is one too'],
  ['Cursor', 'Cursor', 'it connects by itself'],
  ['mcp-remote', 'mcp-remote', 'it is the client itself'],
  ['Robot (via email)', 'Robot (via email)', 'other words in brackets belong to the name'],
  ['', '', 'there is none'],
])('the client named "%s" is "%s", because %s', (given, name) => {
  expect(toClientName(given)).toBe(name);
});
