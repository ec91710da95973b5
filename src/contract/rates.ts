// The rates that say how well agents use the tools, in total and by client, server version and definition.

import { z } from 'zod';
import { count, Proportion, Range } from './fields.ts';

const Rates = z.object({
  /** Calls that the caller did not get wrong, of all calls. */
  correctCalls: Proportion,
  /** Errors that were recovered from, of the errors whose next step is known. */
  recovery: Proportion,
  /** Results that fed a later call of their session, of the results with fields that can be recognised. */
  resultUse: Proportion,
});
export type Rates = z.infer<typeof Rates>;

export const ClientRates = Rates.extend({ client: z.string() });
export type ClientRates = z.infer<typeof ClientRates>;
export const VersionRates = Rates.extend({ server: z.string(), version: z.string() });
export type VersionRates = z.infer<typeof VersionRates>;
export const DefinitionRates = Rates.extend({
  /** Empty for calls that do not say which definition they met. */
  definitionHash: z.string(),
  /** Versions that listed it. */
  serverVersions: z.array(z.string()),
});
export type DefinitionRates = z.infer<typeof DefinitionRates>;

export const RatesResponse = Rates.extend({
  range: Range,
  /** The calls in which recoveries and the use of results were looked for: the newest of each server. */
  sequence: z.object({ calls: count, isWhole: z.boolean() }),
  /** The part of the range that the groups cover; null when no single calls of it are retained. */
  counted: Range.nullable(),
  /** Most calls first, at most 20. The correct calls of a group do not subtract confusions of two tools. */
  byClient: z.array(ClientRates),
  /** Most calls first, at most 20. */
  byVersion: z.array(VersionRates),
  /** Of one tool of one server: empty without the filters `server` and `tool`. Most calls first. */
  byDefinition: z.array(DefinitionRates),
});
export type RatesResponse = z.infer<typeof RatesResponse>;
