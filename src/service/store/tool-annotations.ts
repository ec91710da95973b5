// Tool annotations of a server's newest listing; the loop detector uses them to recognise polling.

import { z } from 'zod';
import type { ToolAnnotations } from '../../core/model/catalogue.ts';
import type { StoreQuery } from './store.ts';

const hint = z.boolean().optional().catch(undefined);
const AnnotationsSchema = z.object({
  readOnlyHint: hint,
  destructiveHint: hint,
  idempotentHint: hint,
  openWorldHint: hint,
  volatileArguments: z.array(z.string()).optional().catch(undefined),
});
const ToolAnnotationsRow = z.object({ tool_name: z.string(), annotations: z.string() });

/**
 * @returns by tool; a tool without hints, and a server that was never listed, have none
 * @throws UpstreamError as `Store` does
 */
export async function readToolAnnotations(
  reader: { query<T>(query: StoreQuery<T>): Promise<T[]> },
  server: string,
): Promise<ReadonlyMap<string, ToolAnnotations>> {
  const rows = await reader.query({
    sql: `
    SELECT tool_name, JSONExtractRaw(argMax(definition, last_listed), 'annotations') AS annotations
    FROM tools
    WHERE server_name = {server:String}
    GROUP BY tool_name
    HAVING annotations != ''`,
    params: { server },
    row: ToolAnnotationsRow,
  });
  return new Map(rows.flatMap((row) => parseAnnotations(row)));
}

function parseAnnotations({
  tool_name,
  annotations,
}: z.infer<typeof ToolAnnotationsRow>): [string, ToolAnnotations][] {
  const parsed = AnnotationsSchema.safeParse(JSON.parse(annotations));
  if (!parsed.success) return [];
  const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  return given.length === 0 ? [] : [[tool_name, Object.fromEntries(given)]];
}
