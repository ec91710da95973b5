// A kind of stretch: what it is called, why it is a loop or clean, and how one is made.
import type { MadeCall } from './made-call.ts';
import type { World } from './world.ts';

export interface Kind {
  readonly name: string;
  readonly because: string;
  /** Without times nobody could tell. */
  readonly needsTimes?: boolean;
  readonly make: (world: World) => MadeCall[];
}

/** One call each for the numbers from 0. */
export function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
