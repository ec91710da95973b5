// Names the current address, so that the palette and the settings page list it.
import { type FormEvent, useState } from 'react';
import { MAX_VIEW_NAME_LENGTH, type SavedViewBody } from '../../../src/contract/saved-views.ts';
import { ApiError } from '../api/fetch-resource.ts';
import { useAction } from '../api/queries.ts';
import { ProblemText } from '../components/problem-text.tsx';
import { addLocalView } from '../view/local-views.ts';
import { FormButtons } from './form-buttons.tsx';

/** The service is reachable and does not take the view: read-only, older, or behind a proxy that refuses writes. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status >= 403;

function tryAddLocalView(view: SavedViewBody): boolean {
  try {
    addLocalView(view);
    return true;
  } catch {
    return false; // this browser has no storage
  }
}

export function SaveViewForm({ onDone }: { readonly onDone: () => void }) {
  const addSavedView = useAction('addSavedView');
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  function save(event: FormEvent): void {
    event.preventDefault();
    const view = { name: name.trim(), path: window.location.pathname + window.location.search };
    addSavedView.mutate(view, {
      onSuccess: onDone,
      onError(error) {
        if (isRefusal(error) && tryAddLocalView(view)) onDone();
        else setProblem(error.message);
      },
    });
  }
  return (
    <form className="palette-form" onSubmit={save}>
      <h2>Save this view</h2>
      <p className="muted small">
        Range, filters and page, under a name that the search and the settings page list.
      </p>
      <label>
        Name
        <input
          // biome-ignore lint/a11y/noAutofocus: the reader asked for this form, to type
          autoFocus
          required
          value={name}
          maxLength={MAX_VIEW_NAME_LENGTH}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <ProblemText problem={problem} />
      <FormButtons
        submit="Save"
        isDisabled={name.trim() === '' || addSavedView.isPending}
        onCancel={onDone}
      />
    </form>
  );
}
