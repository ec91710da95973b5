// The ways to instrument a server, as tabs with text to copy.
import { useState } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { prepareSetupMethods, type SetupMethod } from './prepare-setup-methods.ts';

export function SetupMethods() {
  const methods = prepareSetupMethods(window.location.origin);
  const [chosen, setChosen] = useState(methods[0]?.id);
  const method = methods.find(({ id }) => id === chosen);
  return (
    <>
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
    </>
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
