// Copies a text and says so for two seconds.
import { useState } from 'react';
import { Icon } from './icon.tsx';

interface CopyButtonProps {
  /** A function where it is only known when somebody copies. */
  readonly text: string | (() => string);
  /** What is copied, for the accessible name: "session id". */
  readonly what: string;
  /** Shows the word beside the icon; `whole` also what is copied. */
  readonly showLabel?: boolean | 'whole';
}

export function CopyButton({ text, what, showLabel = false }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  async function copy(): Promise<void> {
    setState(await writeClipboard(typeof text === 'function' ? text() : text));
    setTimeout(() => setState('idle'), 2_000);
  }
  const word = { idle: 'Copy', copied: 'Copied', refused: 'Select and copy' }[state];
  return (
    <button
      type="button"
      className={showLabel ? 'button' : 'button bare copy'}
      onClick={() => void copy()}
      aria-label={`${word} ${what}`}
      title={`${word} ${what}`}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
      {showLabel ? <span>{showLabel === 'whole' ? `${word} ${what}` : word}</span> : null}
    </button>
  );
}

/** Browsers refuse on plain HTTP from another machine. */
async function writeClipboard(text: string): Promise<'copied' | 'refused'> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'refused'; // the text can still be selected by hand
  }
}
