// Searches the names of tools, error codes and error messages. The text is in the URL.
import { type FormEvent, useState } from 'react';
import { MAX_SEARCH_LENGTH } from '../../../../src/contract/calls.ts';

interface CallSearchProps {
  readonly text: string | undefined;
  readonly onSearch: (text: string | undefined) => void;
}

export function CallSearch({ text = '', onSearch }: CallSearchProps) {
  const [typed, setTyped] = useState(text);
  const [searched, setSearched] = useState(text);
  // Back and forward change the text too.
  if (searched !== text) {
    setSearched(text);
    setTyped(text);
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (typed.trim() !== text) onSearch(typed.trim() || undefined);
  }
  return (
    <form className="call-search" onSubmit={submit}>
      <input
        type="search"
        aria-label="Search tools, codes and messages"
        placeholder="Search tools, codes, messages"
        value={typed}
        maxLength={MAX_SEARCH_LENGTH}
        spellCheck={false}
        onChange={({ target }) => {
          setTyped(target.value);
          if (target.value === '' && text !== '') onSearch(undefined);
        }}
      />
    </form>
  );
}
