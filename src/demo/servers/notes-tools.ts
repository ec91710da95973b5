// The tools of the notes servers, written once for both SDK lines: name, description, zod fields, and what they do.
// `archive_note` and `export_notes` are offered and never called; `publish_note` fails with the ambiguous sentence
// that no agent can act on.

import { z } from 'zod';
import { backEndDelay, type Note, type Notebook } from './notebook.ts';

export interface ToolAnswer {
  // The SDKs' own result types carry an index signature; without it neither accepts this one.
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface NotesTool {
  readonly name: string;
  readonly description: string;
  readonly fields: z.ZodRawShape;
  readonly annotations: { readonly readOnlyHint: boolean };
  // Each tool reads the arguments that its own fields have just validated.
  run(args: Record<string, unknown>): Promise<ToolAnswer>;
}

const say = (text: string, structured?: Record<string, unknown>): ToolAnswer => ({
  content: [{ type: 'text', text }],
  ...(structured ? { structuredContent: structured } : {}),
});

const refuse = (code: string, message: string, recovery: string): ToolAnswer => ({
  ...say(`${message} ${recovery}`, { error: { code, message, recovery, retryable: false } }),
  isError: true,
});

const asLine = (note: Note): string => `${note.id}  ${note.title}`;
const id = z.string().describe('Note id, e.g. "n12", as search_notes returns it');

function readTools(notebook: Notebook): NotesTool[] {
  return [
    {
      name: 'search_notes',
      description: 'Find notes whose title contains a text. Returns ids and titles, one page at a time.',
      fields: {
        query: z.string(),
        cursor: z.string().optional(),
        limit: z.number().int().min(1).max(20).default(5),
      },
      annotations: { readOnlyHint: true },
      async run(args) {
        await backEndDelay(6);
        const page = notebook.search(String(args['query']), {
          cursor: args['cursor'] === undefined ? undefined : String(args['cursor']),
          limit: Number(args['limit'] ?? 5),
        });
        return say(page.notes.map(asLine).join('\n') || 'No note matches.', {
          nextCursor: page.nextCursor ?? null,
        });
      },
    },
    {
      name: 'read_note',
      description: 'Read one note in full.',
      fields: { id },
      annotations: { readOnlyHint: true },
      async run(args) {
        await backEndDelay(3);
        const note = notebook.read(String(args['id']));
        if (note) return say(`${note.title}\n\n${note.body}`);
        return refuse('NOTE_NOT_FOUND', 'There is no note of that id.', 'Take an id from search_notes.');
      },
    },
    {
      name: 'export_notes',
      description: 'Export every note as one document.',
      fields: { format: z.enum(['markdown', 'html', 'pdf']) },
      annotations: { readOnlyHint: true },
      run: async () => say('Exported.'),
    },
  ];
}

function writeTools(notebook: Notebook): NotesTool[] {
  return [
    {
      name: 'create_note',
      description: 'Create a note.',
      fields: { title: z.string().min(1), body: z.string() },
      annotations: { readOnlyHint: false },
      async run(args) {
        await backEndDelay(9);
        return say(`Created ${notebook.create(String(args['title']), String(args['body'])).id}.`);
      },
    },
    {
      name: 'update_note',
      description: 'Replace the body of a note.',
      fields: { id, body: z.string() },
      annotations: { readOnlyHint: false },
      async run(args) {
        await backEndDelay(8);
        const note = notebook.update(String(args['id']), String(args['body']));
        if (note) return say(`Updated ${note.id}.`);
        return refuse('NOTE_NOT_FOUND', 'There is no note of that id.', 'Take an id from search_notes.');
      },
    },
    {
      name: 'publish_note',
      description: 'Publish a note.',
      fields: { id, channel: z.string() },
      annotations: { readOnlyHint: false },
      async run() {
        await backEndDelay(4);
        return { ...say('The note could not be published.'), isError: true };
      },
    },
    {
      name: 'archive_note',
      description: 'Move a note to the archive. It stays searchable and can be restored by hand.',
      fields: { id },
      annotations: { readOnlyHint: false },
      run: async () => say('Archived.'),
    },
  ];
}

/** All seven tools over one notebook. */
export function notesTools(notebook: Notebook): readonly NotesTool[] {
  return [...readTools(notebook), ...writeTools(notebook)];
}
