// Copies a text and confirms it for two seconds.
import { useState } from 'react';
import { Icon } from './icon.tsx';

interface CopyButtonProps {
  /** A function when the text is only known at the time of copying. */
  readonly text: string | (() => string);
  /** What is copied, for the accessible name: "session id". */
  readonly what: string;
  /** Shows a label next to the icon; `whole` also shows what is copied. */
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

/** Browsers reject clipboard access on plain HTTP from another machine. */
async function writeClipboard(text: string): Promise<'copied' | 'refused'> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'refused'; // the text can still be selected by hand
  }
}
