// Shows whether live updates are on, and toggles them.
import { useContext, useSyncExternalStore } from 'react';
import type { LiveState } from '../api/live-refresh.ts';
import { LiveContext } from '../live-context.ts';
import { Icon } from './icon.tsx';

const LIVE_STATE_LABELS: Readonly<Record<LiveState, { readonly word: string; readonly title: string }>> = {
  connecting: { word: 'Connecting', title: 'Connecting to the service. Press to pause.' },
  live: { word: 'Live', title: 'New calls show as they arrive. Press to pause.' },
  polling: { word: 'Every 5 s', title: 'No event stream: asking every five seconds. Press to pause.' },
  silent: {
    word: 'No answer',
    title: 'The service does not answer. Retrying every two seconds. Press to pause.',
  },
  paused: { word: 'Paused', title: 'The page stands still. Press to follow again.' },
};

export function LiveButton() {
  const live = useContext(LiveContext);
  const state = useSyncExternalStore(live.subscribe, live.state);
  const { word, title } = LIVE_STATE_LABELS[state];
  const paused = state === 'paused';
  return (
    <button
      type="button"
      className="button live"
      data-state={state}
      aria-pressed={!paused}
      title={title}
      onClick={() => (paused ? live.start() : live.stop())}
    >
      {paused ? <Icon name="play" /> : <i className="pulse" aria-hidden="true" />}
      <span>{word}</span>
    </button>
  );
}
