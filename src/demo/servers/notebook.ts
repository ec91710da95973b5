// The domain model behind the three notes servers, with the faults that real tools have. It does not use MCP.

export interface Note {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

export interface NotePage {
  readonly notes: readonly Note[];
  readonly nextCursor: string | undefined;
}

export class NotebookFullError extends Error {
  override readonly name = 'NotebookFullError';
  readonly code = 'NOTEBOOK_FULL';
}

const MAX_NOTES = 100;
const TITLES = [
  'Release checklist',
  'Meeting with design',
  'Reading list',
  'Incident review',
  'Ideas',
  'Travel plan',
];

export interface Notebook {
  create(title: string, body: string): Note;
  read(id: string): Note | undefined;
  update(id: string, body: string): Note | undefined;
  search(query: string, page: { readonly cursor: string | undefined; readonly limit: number }): NotePage;
}

export function createNotebook(size = 45): Notebook {
  const notes = new Map<string, Note>();
  const create = (title: string, body: string): Note => {
    if (notes.size >= MAX_NOTES)
      throw new NotebookFullError(`The notebook holds at most ${MAX_NOTES} notes.`);
    const note = { id: `n${notes.size + 1}`, title, body };
    notes.set(note.id, note);
    return note;
  };
  for (let i = 0; i < size; i += 1)
    create(`${TITLES[i % TITLES.length]} ${i + 1}`, `Written on day ${i + 1}.`);
  return {
    create,
    read: (id) => notes.get(id),
    update(id, body) {
      const note = notes.get(id);
      if (!note) return undefined;
      const changed = { ...note, body };
      notes.set(id, changed);
      return changed;
    },
    search(query, { cursor, limit }) {
      const from = cursor ? Number(cursor) : 0;
      const found = [...notes.values()].filter((note) =>
        note.title.toLowerCase().includes(query.toLowerCase()),
      );
      const page = found.slice(from, from + limit);
      return { notes: page, nextCursor: from + limit < found.length ? String(from + limit) : undefined };
    },
  };
}

/** Simulates a back end's latency: a few milliseconds, occasionally more. */
export function simulateLatency(baseMs: number): Promise<void> {
  const slow = Math.random() < 0.06 ? 6 : 1;
  return new Promise((resolve) => setTimeout(resolve, baseMs * slow * (0.5 + Math.random())));
}
