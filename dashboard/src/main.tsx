// Makes the page: theme, query client, live refresh, and the app in its frame.
import './zod-without-eval.ts';
import './styles/all.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { isRetryable } from './api/ask.ts';
import { LiveRefresh } from './api/live.ts';
import { App } from './app.tsx';
import { LiveContext } from './live-context.ts';
import { applyTheme } from './view/preferences.ts';

const HEAL_EVERY_MS = 2_000;

applyTheme();

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      retry: (failures, error) => failures < 3 && isRetryable(error),
      retryDelay: (failures) => 500 * 2 ** failures,
      // A page that shows a failure heals by itself, whether or not an event tells it to ask again.
      refetchInterval: ({ state }) => (isRetryable(state.error) ? HEAL_EVERY_MS : false),
    },
  },
});
const live = new LiveRefresh(client);
live.start();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={client}>
      <LiveContext value={live}>
        <App />
      </LiveContext>
    </QueryClientProvider>,
  );
}
