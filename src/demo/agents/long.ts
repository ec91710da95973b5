// Long sessions that make progress with every call, which a fixed limit of thirty calls would flag wrongly.

import type { AgentScript } from '../agent-script.ts';

/** Pages through all 45 notes, five at a time, following the cursor to the end. */
export const pager: AgentScript = {
  name: 'pager',
  expected: [
    { server: 'notes-http', tools: { search_notes: { calls: 9 }, read_note: { calls: 2 } }, sessions: [11] },
  ],
  async run(environment) {
    const notes = await environment.connect('notes-http');
    await notes.list();
    let cursor: unknown;
    do {
      const page = await notes.call('search_notes', { query: '', ...(cursor ? { cursor } : {}) });
      cursor = page.structured['nextCursor'];
      await notes.think(2_000);
    } while (cursor);
    await notes.call('read_note', { id: 'n7' });
    await notes.call('read_note', { id: 'n31' });
    await notes.close();
  },
};

/** Writes, reads back and inspects fifteen files: 45 calls, all of them necessary. */
export const scribe: AgentScript = {
  name: 'scribe',
  expected: [
    {
      server: 'filesystem',
      tools: { write_file: { calls: 15 }, read_text_file: { calls: 15 }, get_file_info: { calls: 15 } },
      sessions: [45],
    },
  ],
  async run(environment) {
    const files = await environment.connect('filesystem');
    await files.list();
    for (let n = 1; n <= 15; n += 1) {
      const path = `${environment.folder}/chapter-${n}.md`;
      await files.call('write_file', { path, content: `# Chapter ${n}\n\n${'A line of text.\n'.repeat(n)}` });
      await files.call('read_text_file', { path });
      await files.call('get_file_info', { path });
      await files.think(4_000);
    }
    await files.close();
  },
};
