// How to instrument a server; shown until the first event is received.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SetupMethods } from './setup-methods.tsx';

/** Short, because the reader is waiting for the first event. */
const POLL_INTERVAL_MS = 2_000;

export function OnboardingPage() {
  return (
    <div className="page onboarding">
      <h1>No data received yet. Instrument a server and call one of its tools.</h1>
      <SetupMethods />
      <WaitingForFirstEvent />
    </div>
  );
}

function WaitingForFirstEvent() {
  const client = useQueryClient();
  useEffect(() => {
    const timer = setInterval(
      () => void client.invalidateQueries({ queryKey: ['summary'] }),
      POLL_INTERVAL_MS,
    );
    return () => clearInterval(timer);
  }, [client]);
  return (
    <output className="first-event">
      <i className="pulse" aria-hidden="true" /> Waiting for the first event at{' '}
      <code>{window.location.origin}</code>
    </output>
  );
}
