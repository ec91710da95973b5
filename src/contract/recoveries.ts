// Learned recoveries: what agents did after an error when they got past it, and how often that worked.

import { z } from 'zod';
import { OUTCOMES } from '../core/model/outcome.ts';
import { count, Proportion, Range } from './fields.ts';

export const RecoveryRow = z.object({
  server: z.string(),
  tool: z.string(),
  outcome: z.enum(OUTCOMES),
  code: z.string(),
  /** Path of the rejected argument; empty if the error names none. */
  argument: z.string(),
  /** The masked message; empty if the code identifies the error. */
  template: z.string(),
  /** Tools that answered between the error and the repeated call, in order. */
  tools: z.array(z.string()),
  /** Top-level arguments that the repeated call sent with another value. */
  changedArguments: z.array(z.string()),
  /** The tool that was called instead, because the error names it; empty if the call was repeated. */
  insteadTool: z.string(),
  /** The unchanged call was repeated after two seconds or more. */
  isAfterPause: z.boolean(),
  /** Share of the attempts with these steps that succeeded; a session counts three attempts at most. */
  succeeded: Proportion,
  /** Sessions in which they succeeded. */
  sessions: count,
  /** Share that succeeded of everything else that followed the error, giving up included. */
  otherwise: Proportion,
  /** The above as a sentence. */
  sentence: z.string(),
  /** Proposed text for the `recovery` field of the error. */
  recovery: z.string(),
  /** The line that a guard with recovery hints appends to the error. */
  hint: z.string(),
});
export type RecoveryRow = z.infer<typeof RecoveryRow>;

export const RecoveriesResponse = z.object({
  range: Range,
  /** Most attempts first; at most one for each error of a tool. */
  recoveries: z.array(RecoveryRow),
});
export type RecoveriesResponse = z.infer<typeof RecoveriesResponse>;
