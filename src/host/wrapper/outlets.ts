// The deliveries of a process, one an endpoint, made when a server first needs one. Calls lost on the way to a delivery
// are told with the next one that gets there.

import type { ReducedCall, ServerStart } from '../../core/dialects/toolscope.ts';
import { createDelivery, type Delivery } from '../delivery/delivery.ts';
import type { Environment } from './environment.ts';
import { runUntraced } from './untraced.ts';

/** The way to one endpoint. None of its methods throws. */
export interface Outlet {
  deliver(item: ReducedCall | ServerStart): void;
  /** Counts a call there was no room for. */
  lose(): void;
}

export interface Outlets {
  /**
   * The outlet of an endpoint.
   *
   * @param endpoint the host's option; undefined leaves it to the environment.
   * @returns undefined when the address is none.
   */
  of(endpoint: string | undefined): Outlet | undefined;
  /** Sends what waits, all endpoints at once; see `Delivery.flush`. */
  flush(options?: { readonly timeoutMs: number }): Promise<void>;
  /** Starts to send what waits; see `Delivery.hurry`. */
  hurry(): void;
  /** Keeps what is not acknowledged; see `Delivery.spill`. @returns whether nothing would be lost with the process */
  spill(): boolean;
  shutdown(): Promise<void>;
}

/** Creates the outlets of a process. */
export function createOutlets(
  environment: Pick<Environment, 'targetOf' | 'reportFailure' | 'spool'>,
): Outlets {
  const deliveries: Delivery[] = [];
  const outlets = new Map<string, Outlet | undefined>();

  function open(endpoint: string | undefined): Outlet | undefined {
    const target = environment.targetOf(endpoint);
    if (target.status === 'invalid') {
      environment.reportFailure(target.reason);
      return undefined;
    }
    const { url, headers, tenantHeaders } = target;
    const delivery = createDelivery({
      endpoint: url,
      headers,
      tenantHeaders,
      onFailure: environment.reportFailure,
      spool: environment.spool,
      runUntraced,
    });
    deliveries.push(delivery);
    return createOutlet(delivery);
  }

  return {
    of(endpoint) {
      const key = endpoint ?? '';
      if (!outlets.has(key)) outlets.set(key, open(endpoint));
      return outlets.get(key);
    },
    async flush(options) {
      await Promise.all(deliveries.map((delivery) => delivery.flush(options)));
    },
    hurry() {
      for (const delivery of deliveries) delivery.hurry();
    },
    spill: () => deliveries.map((delivery) => delivery.spill()).every((isKept) => isKept),
    async shutdown() {
      await Promise.all(deliveries.map((delivery) => delivery.shutdown()));
    },
  };
}

function createOutlet(delivery: Delivery): Outlet {
  let lost = 0;
  return {
    deliver(item) {
      delivery.deliver(lost === 0 ? item : { ...item, droppedCalls: lost });
      lost = 0;
    },
    lose() {
      lost += 1;
    },
  };
}
