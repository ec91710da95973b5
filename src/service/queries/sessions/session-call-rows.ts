// Calls of the session page: the columns of any list, and those that detect repeated calls.

import { z } from 'zod';
import type { SessionCallRow } from '../../../contract/responses.ts';
import { CALL_COLUMNS, CallColumns, hexSql, toCallRow } from '../calls/call-rows.ts';
import { count } from '../query/row-values.ts';

/** What is selected FROM calls. */
export const SESSION_CALL_COLUMNS = `${CALL_COLUMNS},
      fingerprint_key_id,
      mapApply((name, value) -> (name, ${hexSql('value')}), argument_fingerprints) AS argument_hexes,
      ${hexSql('arguments_masked_fingerprint')} AS arguments_masked_hex,
      ${hexSql('result_masked_fingerprint')} AS result_masked_hex,
      ${hexSql('result_similarity')} AS similarity_hex,
      ${hexSql('error_fingerprint')} AS error_hex,
      result_lines`;

export const SessionCallColumns = CallColumns.extend({
  fingerprint_key_id: z.string(),
  argument_hexes: z.record(z.string(), z.string()),
  arguments_masked_hex: z.string(),
  result_masked_hex: z.string(),
  similarity_hex: z.string(),
  error_hex: z.string(),
  result_lines: count,
});

export function toSessionCallRow(row: z.infer<typeof SessionCallColumns>): SessionCallRow {
  return {
    ...toCallRow(row),
    argumentFingerprints: row.argument_hexes,
    argumentsMaskedFingerprint: row.arguments_masked_hex,
    resultMaskedFingerprint: row.result_masked_hex,
    resultSimilarity: row.similarity_hex,
    resultLines: row.result_lines,
    errorFingerprint: row.error_hex,
    fingerprintKeyId: row.fingerprint_key_id,
  };
}
