// The name under which a reader silences alerts and changes rules, kept in this browser.
import { useState } from 'react';

const KEY = 'toolscope.author';

function readAuthor(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return ''; // storage is unavailable
  }
}

/** The name, and a function that changes it. */
export function useAuthor(): readonly [string, (author: string) => void] {
  const [author, setAuthor] = useState(readAuthor);
  function change(next: string): void {
    setAuthor(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Storage is unavailable; the name lasts until the page is closed.
    }
  }
  return [author, change];
}
