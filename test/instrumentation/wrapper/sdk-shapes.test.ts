// The real classes of every supported SDK are what `observe` takes, held by the compiler: this file has to type-check.

import type { Server as Server132 } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer as Mcp132 } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { McpServer as McpV2, Server as ServerV2 } from '@modelcontextprotocol/server';
import type { TracerProvider } from '@opentelemetry/api';
import type { Server as Server120 } from 'sdk-1.20/server/index.js';
import type { McpServer as Mcp120 } from 'sdk-1.20/server/mcp.js';
import type { Server as Server125 } from 'sdk-1.25/server/index.js';
import type { McpServer as Mcp125 } from 'sdk-1.25/server/mcp.js';
import { expectTypeOf, test } from 'vitest';
import type { ObserveOptions, observe } from '../../../src/index.ts';
import type {
  HighLevelServer,
  LowLevelServer,
  ObservableServer,
} from '../../../src/instrumentation/wrapper/sdk-shapes.ts';

test('every McpServer type of the SDKs is accepted as a high-level server', () => {
  expectTypeOf<Mcp120>().toExtend<HighLevelServer>();
  expectTypeOf<Mcp125>().toExtend<HighLevelServer>();
  expectTypeOf<Mcp132>().toExtend<HighLevelServer>();
  expectTypeOf<McpV2>().toExtend<HighLevelServer>();
});

test('every Server type of the SDKs is accepted as a low-level server', () => {
  expectTypeOf<Server120>().toExtend<LowLevelServer>();
  expectTypeOf<Server125>().toExtend<LowLevelServer>();
  expectTypeOf<Server132>().toExtend<LowLevelServer>();
  expectTypeOf<ServerV2>().toExtend<LowLevelServer>();
});

test('observe returns the type it was given', () => {
  expectTypeOf<ReturnType<typeof observe<Mcp132>>>().toEqualTypeOf<Mcp132>();
  expectTypeOf<ReturnType<typeof observe<ServerV2>>>().toEqualTypeOf<ServerV2>();
});

test('values that are not servers are refused by the types', () => {
  expectTypeOf<{ connect(): void }>().not.toExtend<ObservableServer>();
  expectTypeOf<string>().not.toExtend<ObservableServer>();
});

test('an OpenTelemetry provider is accepted, though its types stay optional', () => {
  expectTypeOf<TracerProvider>().toExtend<NonNullable<ObserveOptions['tracerProvider']>>();
});
