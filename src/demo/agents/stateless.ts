// Agents of the 2026-07-28 protocol, which has no sessions: two runs with a trace, and one without any key,
// which must not be assigned to a session.

import type { AgentScript } from '../agent-script.ts';

/** Two runs, each with its own trace. */
export const traced: AgentScript = {
  name: 'traced',
  expected: [
    {
      server: 'notes-modern',
      tools: {
        search_notes: { calls: 4 },
        read_note: { calls: 2 },
        create_note: { calls: 2, errors: { '-32602': 1 } },
        rename_note: { calls: 1, errors: { '-32602': 1 } },
      },
      sessions: [5, 4],
    },
  ],
  async run(environment) {
    const first = await environment.connect('notes-modern', {
      traceparent: '00-6d3a1f0c5b2e49788f0a1c2d3e4f5a6b-1a2b3c4d5e6f7081-01',
    });
    await first.list();
    await first.call('search_notes', { query: 'ideas' });
    await first.call('read_note', { id: 'n5' });
    await first.call('create_note', { title: 'More ideas', body: 'Listen first.' });
    await first.think(3_000);
    await first.call('search_notes', { query: 'more' });
    await first.call('read_note', { id: 'n46' });
    await first.close();

    const second = await environment.connect('notes-modern', {
      traceparent: '00-0f9e8d7c6b5a49382716059483726150-8c7d6e5f40312213-01',
    });
    await second.list();
    await second.call('rename_note', { id: 'n5', title: 'Ideas, sorted' });
    await second.call('search_notes', { query: 'ideas' });
    await second.call('create_note', { title: 3 });
    await second.call('search_notes', { query: 'sorted' });
    await second.close();
  },
};

/** Calls without any key: counted for their tools, but in no session. */
export const anonymous: AgentScript = {
  name: 'anonymous',
  expected: [{ server: 'notes-modern', tools: { search_notes: { calls: 3 } }, sessions: [] }],
  async run(environment) {
    const notes = await environment.connect('notes-modern');
    for (const query of ['travel', 'reading', 'release']) {
      await notes.call('search_notes', { query });
      await notes.think(5_000);
    }
    await notes.close();
  },
};
