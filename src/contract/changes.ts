// Changes in a time range, and the annotations that people and pipelines add. Charts draw both as vertical
// lines.

import { z } from 'zod';
import { count, Range } from './fields.ts';
import { CommonQuery, filterValue } from './query.ts';

export const CHANGE_KINDS = [
  'version',
  'tool_added',
  'tool_removed',
  'definition',
  'new_code',
  'new_client',
  'first_loop',
  'error_shift',
  'latency_shift',
  'change_point',
  'annotation',
] as const;

export const ChangeRow = z.object({
  kind: z.enum(CHANGE_KINDS),
  at: z.string(),
  server: z.string(),
  environment: z.string(),
  /** Empty when the change concerns the server. */
  tool: z.string(),
  /**
   * Set for `new_code` (empty if the failure had no code), `new_client` and `version` respectively; otherwise
   * absent.
   */
  code: z.string().optional(),
  client: z.string().optional(),
  version: z.string().optional(),
  /** Id of the change of level, for `change_point`. */
  changePoint: z.string().optional(),
  /** Id of the loop, for `first_loop`. */
  loop: z.string().optional(),
  /** For example "1.4.2 → 1.4.3", "search_notes: limit is required now (breaking)". */
  sentence: z.string(),
  isBreaking: z.boolean(),
  /** End of a shift or change of level; absent while it continues and for other kinds. */
  endedAt: z.string().optional(),
  /** For a shift: start of the period that `before` covers, which ends at `at`. */
  beforeFrom: z.string().optional(),
  before: z.object({ value: z.number().nullable(), n: count }).nullable(),
  after: z.object({ value: z.number().nullable(), n: count }).nullable(),
});
export type ChangeRow = z.infer<typeof ChangeRow>;

export const ChangesResponse = z.object({ range: Range, changes: z.array(ChangeRow) });
export type ChangesResponse = z.infer<typeof ChangesResponse>;

export const ANNOTATION_KINDS = ['deploy', 'incident', 'note'] as const;

/** Body of `POST /api/v1/annotations`, for example a deploy or an incident. `at` defaults to now. */
export const AnnotationBody = z.strictObject({
  text: z.string().trim().min(1).max(200),
  kind: z.enum(ANNOTATION_KINDS).default('deploy'),
  at: z.string().optional(),
  server: filterValue.optional(),
  environment: filterValue.optional(),
});
export type AnnotationBody = z.infer<typeof AnnotationBody>;

export const AnnotationRow = z.object({
  id: z.string(),
  at: z.string(),
  kind: z.enum(ANNOTATION_KINDS),
  /** Empty when the annotation applies to every server. */
  server: z.string(),
  environment: z.string(),
  text: z.string(),
});
export type AnnotationRow = z.infer<typeof AnnotationRow>;

/** No other filter: an annotation is about a server or an environment. */
export const AnnotationsQuery = CommonQuery.pick({
  from: true,
  to: true,
  ...{ server: true, '-server': true },
  ...{ environment: true, '-environment': true },
});
export type AnnotationsQuery = z.infer<typeof AnnotationsQuery>;

export const AnnotationsResponse = z.object({ range: Range, annotations: z.array(AnnotationRow) });
export type AnnotationsResponse = z.infer<typeof AnnotationsResponse>;
