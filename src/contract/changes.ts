// What changed in a range, and the marks that people and pipelines set: the verticals in every chart.

import { z } from 'zod';
import { filterValue } from './query.ts';
import { Range } from './responses.ts';

const count = z.number().int().nonnegative();

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
  'annotation',
] as const;

export const ChangeRow = z.object({
  kind: z.enum(CHANGE_KINDS),
  at: z.string(),
  server: z.string(),
  environment: z.string(),
  /** Empty where it is about the server. */
  tool: z.string(),
  /** Of a new code, empty where the failure had none; of a new client; of a new version. Absent for other kinds. */
  code: z.string().optional(),
  client: z.string().optional(),
  version: z.string().optional(),
  /** Of a first loop: its id. */
  loop: z.string().optional(),
  /** For people: "1.4.2 → 1.4.3", "search_notes: limit is required now (breaking)". */
  sentence: z.string(),
  isBreaking: z.boolean(),
  /** Of a shift that is over: when. Absent while it goes on, and for other kinds. */
  endedAt: z.string().optional(),
  /** Of a shift: since when `before` is counted, up to `at`. */
  beforeFrom: z.string().optional(),
  before: z.object({ value: z.number().nullable(), n: count }).nullable(),
  after: z.object({ value: z.number().nullable(), n: count }).nullable(),
});
export type ChangeRow = z.infer<typeof ChangeRow>;

export const ChangesResponse = z.object({ range: Range, changes: z.array(ChangeRow) });
export type ChangesResponse = z.infer<typeof ChangesResponse>;

export const ANNOTATION_KINDS = ['deploy', 'incident', 'note'] as const;

/** `POST /api/v1/annotations`: a deploy, an incident. `at` defaults to now. */
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
  /** Empty where it is for every server. */
  server: z.string(),
  environment: z.string(),
  text: z.string(),
});
export type AnnotationRow = z.infer<typeof AnnotationRow>;

export const AnnotationsResponse = z.object({ range: Range, annotations: z.array(AnnotationRow) });
export type AnnotationsResponse = z.infer<typeof AnnotationsResponse>;
