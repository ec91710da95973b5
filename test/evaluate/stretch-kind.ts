// A kind of stretch: what it is called, why it is a loop or clean, and how one is made.

import type { SimulatedServer } from './simulated-server.ts';
import type { SyntheticCall } from './synthetic-call.ts';

export interface StretchKind {
  readonly name: string;
  readonly because: string;
  /** Without times nobody could tell. */
  readonly needsTimes?: boolean;
  readonly make: (world: SimulatedServer) => SyntheticCall[];
}

/** One call each for the numbers from 0. */
export function repeatMake<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
