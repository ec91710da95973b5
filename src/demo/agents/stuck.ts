// Agents in a loop.

import type { AgentScript } from '../agent-script.ts';

/** Repeats the same call after an ambiguous error. At pace 1 that takes about three minutes. */
export const stuck: AgentScript = {
  name: 'publisher',
  expected: [
    {
      server: 'notes-http',
      tools: { read_note: { calls: 1 }, publish_note: { calls: 200, errors: { tool_error: 200 } } },
      sessions: [201],
    },
  ],
  async run(environment) {
    const notes = await environment.connect('notes-http');
    await notes.list();
    await notes.call('read_note', { id: 'n3' });
    for (let n = 0; n < 200; n += 1) {
      await notes.call('publish_note', { id: 'n3', channel: 'team' });
      await notes.think(850);
    }
    await notes.close();
  },
};

export const pendulum: AgentScript = {
  name: 'pendulum',
  expected: [
    {
      server: 'memory',
      tools: { create_entities: { calls: 1 }, open_nodes: { calls: 16 }, search_nodes: { calls: 16 } },
      sessions: [33],
    },
  ],
  async run(environment) {
    const memory = await environment.connect('memory');
    await memory.list();
    await memory.call('create_entities', {
      entities: [{ name: 'Toolscope', entityType: 'project', observations: ['watches tools'] }],
    });
    for (let n = 0; n < 16; n += 1) {
      await memory.call('open_nodes', { names: ['Telescope'] });
      await memory.think(1_500);
      await memory.call('search_nodes', { query: 'telescope' });
      await memory.think(1_500);
    }
    await memory.close();
  },
};
