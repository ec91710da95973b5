// What a storm is about.
import type { StormKind } from '../model/storm-record.ts';
import type { ServerEnvironment } from './failure-signature.ts';

/** What a storm is about. */
export interface StormSubject extends ServerEnvironment {
  readonly kind: StormKind;
  /** Of a failure: its code; of a loop: its kind. */
  readonly code: string;
  readonly template: string;
  readonly isOutage: boolean;
}
