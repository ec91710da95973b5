// Before anything was ever received: how to instrument a server, and a page that turns into the dashboard by itself
// as soon as the first event is there.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { prepareRecipes, type Recipe } from './prepare-recipes.ts';

/** Somebody watches this page with the other hand on the keyboard. */
const ASK_EVERY_MS = 2_000;

export function OnboardingPage() {
  const recipes = prepareRecipes(window.location.origin);
  const [chosen, setChosen] = useState(recipes[0]?.id);
  const recipe = recipes.find(({ id }) => id === chosen);
  return (
    <div className="page onboarding">
      <h1>Nothing has been received yet. Instrument a server and call one of its tools.</h1>
      <div className="segments" role="tablist" aria-label="Ways to instrument a server">
        {recipes.map(({ id, name }) => (
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
        {recipe ? <Steps recipe={recipe} /> : null}
      </div>
      <Waiting />
    </div>
  );
}

function Steps({ recipe }: { readonly recipe: Recipe }) {
  return (
    <>
      <p>{recipe.sentence}</p>
      {recipe.steps.map(({ name, code }) => (
        <div key={name} className="snippet">
          <header>
            <span>{name}</span>
            <CopyButton text={code} what={name} wordy />
          </header>
          <pre>{code}</pre>
        </div>
      ))}
    </>
  );
}

function Waiting() {
  const client = useQueryClient();
  useEffect(() => {
    const timer = setInterval(() => void client.invalidateQueries({ queryKey: ['summary'] }), ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [client]);
  return (
    <output className="waiting">
      <i className="pulse" aria-hidden="true" /> Waiting for the first event at{' '}
      <code>{window.location.origin}</code>
    </output>
  );
}
