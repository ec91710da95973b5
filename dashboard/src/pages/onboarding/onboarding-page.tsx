// How to instrument a server; shown until the first event is received.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { prepareSetupMethods, type SetupMethod } from './prepare-setup-methods.ts';

/** Short, because the reader is waiting for the first event. */
const POLL_INTERVAL_MS = 2_000;

export function OnboardingPage() {
  const methods = prepareSetupMethods(window.location.origin);
  const [chosen, setChosen] = useState(methods[0]?.id);
  const method = methods.find(({ id }) => id === chosen);
  return (
    <div className="page onboarding">
      <h1>No data received yet. Instrument a server and call one of its tools.</h1>
      <div className="segments" role="tablist" aria-label="Ways to instrument a server">
        {methods.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === chosen}
            aria-controls="recipe"
            onClick={() => setChosen(id)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="recipe" role="tabpanel" aria-labelledby={`tab-${chosen}`}>
        {method ? <SetupSteps method={method} /> : null}
      </div>
      <WaitingForFirstEvent />
    </div>
  );
}

function SetupSteps({ method }: { readonly method: SetupMethod }) {
  return (
    <>
      <p>{method.sentence}</p>
      {method.steps.map(({ name, code }) => (
        <div key={name} className="snippet">
          <header>
            <span>{name}</span>
            <CopyButton text={code} what={name} showLabel />
          </header>
          <pre>{code}</pre>
        </div>
      ))}
    </>
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
    <output className="waiting">
      <i className="pulse" aria-hidden="true" /> Waiting for the first event at{' '}
      <code>{window.location.origin}</code>
    </output>
  );
}
