// What a storm is about.
import type { StormKind } from '../model/storm-record.ts';
import type { ServerEnvironment } from './failure-signature.ts';

export interface StormSubject extends ServerEnvironment {
  readonly kind: StormKind;
  /** The error code of a failure; the kind of a loop. */
  readonly code: string;
  readonly template: string;
  readonly isOutage: boolean;
}
