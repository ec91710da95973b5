// What is learned from agents that got past an error, and what a guard tells the next one, with a real server under `observe()` and
// `wrap`. Agents are scripted clients, and the expected figures are counted from their script.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { GuardResponse } from '../../src/contract/guard.ts';
import { RecoveriesResponse } from '../../src/contract/recoveries.ts';
import { parseRecoveryHints } from '../../src/core/guard/recovery-hints.ts';
import { flush, type ObserveOptions, observe } from '../../src/index.ts';
import { runInProcess } from '../cli/run-program.ts';
import { cleanEnvironment, wrapCommand } from '../cli/run-wrap.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../support/in-process-service.ts';
import { expectedProportion } from '../support/oracle/expect-stats.ts';
import { createNotes } from './servers/versioned-notes.ts';

const folder = createServiceFolder();
let service: InProcessService;

beforeAll(async () => {
  service = await startInProcessService(folder);
}, 240_000);

afterAll(async () => {
  await service?.close();
  removeServiceFolder(folder);
});

/** What an agent does after the conflict, by name. */
const AGENTS = {
  'reads and repeats': async (edit, read) => edit(await read()),
  'repeats unchanged': async (edit) => edit(1),
  'guesses a version': async (edit) => edit(2),
} as const satisfies Record<
  string,
  (edit: (version: number) => Promise<void>, read: () => Promise<number>) => Promise<void>
>;

async function runAgent(name: keyof typeof AGENTS, at: number): Promise<void> {
  const observed = observe(createNotes(), { endpoint: service.url, sessionId: () => `${name} ${at}` });
  const client = new Client({ name: 'agent', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([observed.connect(theirs), client.connect(ours)]);
  await client.listTools();
  const edit = async (version: number): Promise<void> => {
    await client.callTool({ name: 'edit_note', arguments: { id: at, version } });
  };
  const read = async (): Promise<number> => {
    const { content } = await client.callTool({ name: 'get_note', arguments: { id: at } });
    return z
      .array(z.object({ text: z.string() }))
      .parse(content)
      .map(({ text }) => JSON.parse(text).version)[0];
  };
  await edit(1);
  await AGENTS[name](edit, read);
  await client.close();
}

test('what worked after an error is learned from the sessions that got past it', async () => {
  const script = { 'reads and repeats': 9, 'repeats unchanged': 4, 'guesses a version': 3 } as const;
  for (const name of Object.keys(script) as (keyof typeof script)[])
    for (let at = 0; at < script[name]; at += 1) await runAgent(name, at);
  await flush();
  await service.settled();
  const { recoveries } = RecoveriesResponse.parse(
    await service.ask('recoveries?from=now-1h&server=versioned&tool=edit_note'),
  );
  expect(recoveries).toMatchObject([
    {
      ...{ tool: 'edit_note', outcome: 'tool_error', code: 'VERSION_CONFLICT', template: '', argument: '' },
      ...{ tools: ['get_note'], changedArguments: ['version'], insteadTool: '', isAfterPause: false },
      succeeded: expectedProportion(9, 9),
      sessions: 9,
      // The last error of the others is followed by nothing yet: their sessions may go on.
      otherwise: expectedProportion(0, 4 + 3),
      recovery: 'Call get_note, then repeat edit_note with a new version.',
    },
  ]);
  const others = await service.ask('recoveries?from=now-1h&server=versioned&tool=get_note');
  expect(RecoveriesResponse.parse(others).recoveries).toEqual([]);
});

const HINT =
  '[toolscope guard] After VERSION_CONFLICT, 100 % (9 of 9) earlier attempts succeeded by calling get_note and repeating edit_note with a new version.';
const hintsFile = join(folder, 'recovery-hints.json');

test('toolscope recovery-hints writes what was learned as the file that guards read', async () => {
  const data = join(folder, 'data');
  const exported = await runInProcess(['recovery-hints', '--server', 'versioned', '--data-dir', data]);
  expect(exported.stderr).toBe('');
  writeFileSync(hintsFile, exported.stdout);
  expect(parseRecoveryHints(JSON.parse(exported.stdout))).toMatchObject({
    status: 'read',
    hints: [{ tool: 'edit_note', code: 'VERSION_CONFLICT', text: HINT.slice('[toolscope guard] '.length) }],
  });
});

const CONNECTIONS = {
  'observe()': async (client: Client, session: string) => {
    const recoveryHints = JSON.parse(readFileSync(hintsFile, 'utf8'));
    const guard: ObserveOptions['guard'] = { mode: 'nudge', recoveryHints };
    const observed = observe(createNotes(), { endpoint: service.url, sessionId: () => session, guard });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([observed.connect(theirs), client.connect(ours)]);
  },
  wrap: async (client: Client) => {
    const server = fileURLToPath(new URL('servers/versioned-notes.ts', import.meta.url));
    const guard = ['--guard', 'nudge', '--guard-recovery-hints', hintsFile];
    const line = wrapCommand([...guard, '--', process.execPath, '--import', 'tsx', server, '--stdio']);
    const env = cleanEnvironment({ TOOLSCOPE_ENDPOINT: service.url });
    await client.connect(new StdioClientTransport({ ...line, env }));
  },
} as const;

test.each(Object.entries(CONNECTIONS))(
  'a guard of %s with the exported hints tells the next agent what worked, and only after this error',
  async (way, connect) => {
    const client = new Client({ name: `hinted by ${way}`, version: '1' });
    await connect(client, way);
    const textsOf = async (name: string, args: Record<string, unknown>) => {
      const { content } = await client.callTool({ name, arguments: args });
      return z
        .array(z.object({ text: z.string() }))
        .parse(content)
        .map(({ text }) => text);
    };
    expect(await textsOf('edit_note', { id: 1, version: 3 })).toEqual([
      expect.stringContaining('CONFLICT'),
      HINT,
    ]);
    expect(await textsOf('get_note', { id: 1 })).toHaveLength(1);
    expect(await textsOf('edit_note', { id: 1 })).toHaveLength(1);
    expect(await textsOf('edit_note', { id: 1, version: 7 })).toEqual(['Saved.']);
    await client.close();
    await flush();
    const guarded = async () => {
      const query = new URLSearchParams({ from: 'now-1h', server: 'versioned', client: `hinted by ${way}` });
      return GuardResponse.parse(await service.ask(`guard?${query}`)).tools;
    };
    await expect
      .poll(guarded, { timeout: 20_000 })
      .toMatchObject([{ tool: 'edit_note', code: 'RECOVERY_HINT', nudged: 1, blocked: 0 }]);
  },
);
