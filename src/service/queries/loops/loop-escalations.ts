// How often a finding of severity `note` became a loop: the outcome of notes of the same kind on its server
// in the last thirty days, or on its tool alone if there are enough.

import { z } from 'zod';
import type { LoopRow } from '../../../contract/loops.ts';
import type { LoopRecord } from '../../../core/model/loop-record.ts';
import { count } from '../../store/row-codec.ts';
import type { QueryContext } from '../query/query-context.ts';

/** With fewer notes no rate is given. */
const MIN_NOTES = 5;
/** From this number on, only the notes of the same tool count. */
const MIN_NOTES_IN_TOOL = 20;

const Row = z.object({
  id: z.string(),
  n: count,
  of: count,
  n_tool: count,
  of_tool: count,
});

/** Every loop starts as a note, so each loop is an escalated note; an ongoing note has not escalated yet. */
const ESCALATIONS_SQL = `
    SELECT
      note.id AS id,
      countIf(before.severity != 'note') AS n,
      count() AS of,
      countIf(before.severity != 'note' AND has(before.tools, note.tool)) AS n_tool,
      countIf(has(before.tools, note.tool)) AS of_tool
    FROM (
      SELECT identity.1 AS id, identity.2 AS server, identity.3 AS kind, identity.4 AS tool
      FROM (
        SELECT arrayJoin(arrayZip(
          {ids:Array(String)}, {servers:Array(String)}, {kinds:Array(String)}, {tools:Array(String)})) AS identity
      )
    ) AS note
    INNER JOIN (
      SELECT id, server_name, kind, severity, tools
      FROM loops FINAL
      WHERE onset >= fromUnixTimestamp64Milli({since_ms:Int64}, 'UTC') AND server_name IN {servers:Array(String)}
        AND kind IN {kinds:Array(String)} AND tree_id = '' AND (severity != 'note' OR state = 'over')
    ) AS before ON before.server_name = note.server AND before.kind = note.kind
    WHERE before.id != note.id
    GROUP BY note.id`;

const LOOKBACK_DAYS = 30;
const DAY_MS = 86_400_000;

/** By id of the note; notes with too little history are missing. */
export async function readLoopEscalations(
  loops: readonly LoopRecord[],
  { store, nowMs }: Pick<QueryContext, 'store' | 'nowMs'>,
): Promise<ReadonlyMap<string, NonNullable<LoopRow['becameLoop']>>> {
  const notes = loops.filter(({ severity }) => severity === 'note');
  if (notes.length === 0) return new Map();
  const found = await store.query({
    sql: ESCALATIONS_SQL,
    params: {
      ids: notes.map(({ id }) => id),
      servers: notes.map(({ server }) => server),
      kinds: notes.map(({ kind }) => kind),
      tools: notes.map(({ tools }) => tools[0] ?? ''),
      since_ms: nowMs - LOOKBACK_DAYS * DAY_MS,
    },
    row: Row,
  });
  const rates = found.map(({ id, n, of, n_tool, of_tool }) =>
    of_tool >= MIN_NOTES_IN_TOOL ? { id, n: n_tool, of: of_tool } : { id, n, of },
  );
  return new Map(rates.filter(({ of }) => of >= MIN_NOTES).map(({ id, n, of }) => [id, { n, of }]));
}
