// Healthy agents: they read, write, think, and finish without errors.

import type { AgentScript } from '../agent-script.ts';

/** Takes notes over stdio: lists, reads, writes two, checks them. */
export const notetaker: AgentScript = {
  name: 'notetaker',
  expected: [
    {
      server: 'notes',
      tools: {
        search_notes: { calls: 3 },
        read_note: { calls: 4 },
        create_note: { calls: 2 },
        update_note: { calls: 1 },
      },
      sessions: [10],
    },
  ],
  async run(environment) {
    const notes = await environment.connect('notes');
    await notes.list();
    await notes.call('search_notes', { query: 'release' });
    await notes.call('read_note', { id: 'n1' });
    await notes.think(3_000);
    await notes.call('create_note', { title: 'Release 1.4.3', body: 'Cut the branch.' });
    await notes.call('read_note', { id: 'n99' });
    await notes.call('search_notes', { query: 'incident' });
    await notes.call('read_note', { id: 'n4' });
    await notes.think(2_000);
    await notes.call('create_note', { title: 'Follow-up', body: 'Ask about the incident review.' });
    await notes.call('update_note', { id: 'n99', body: 'Cut the branch. Tell support.' });
    await notes.call('read_note', { id: 'n99' });
    await notes.call('search_notes', { query: 'follow' });
    await notes.close();
  },
};

/** Calls several tools of the everything server: text, sums, structured content. */
export const explorer: AgentScript = {
  name: 'explorer',
  expected: [
    {
      server: 'everything',
      tools: {
        echo: { calls: 4 },
        'get-sum': { calls: 5 },
        'get-structured-content': { calls: 3 },
        'get-tiny-image': { calls: 1 },
      },
      sessions: [13],
    },
  ],
  async run(environment) {
    const everything = await environment.connect('everything');
    await everything.list();
    for (const word of ['one', 'two', 'three', 'four']) {
      await everything.call('echo', { message: word });
      await everything.think(1_500);
    }
    for (let n = 1; n <= 5; n += 1) await everything.call('get-sum', { a: n, b: n * n });
    for (const location of ['New York', 'Chicago', 'Los Angeles']) {
      await everything.call('get-structured-content', { location });
      await everything.think(1_500);
    }
    await everything.call('get-tiny-image');
    await everything.close();
  },
};

export const thinker: AgentScript = {
  name: 'thinker',
  expected: [{ server: 'sequential-thinking', tools: { sequentialthinking: { calls: 6 } }, sessions: [6] }],
  async run(environment) {
    const thinking = await environment.connect('sequential-thinking');
    await thinking.list();
    for (let thoughtNumber = 1; thoughtNumber <= 6; thoughtNumber += 1) {
      await thinking.call('sequentialthinking', {
        thought: `Step ${thoughtNumber}: narrow the cause.`,
        thoughtNumber,
        totalThoughts: 6,
        nextThoughtNeeded: thoughtNumber < 6,
      });
      await thinking.think(4_000);
    }
    await thinking.close();
  },
};
