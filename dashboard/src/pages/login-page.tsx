// Asks for the token of a service that is not open to everybody. The token goes to the service and nowhere else.
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useContext, useState } from 'react';
import { login, TokenWantedError } from '../api/ask.ts';
import { Icon } from '../components/icon.tsx';
import { LiveContext } from '../live-context.ts';

export function LoginPage() {
  const client = useQueryClient();
  const live = useContext(LiveContext);
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  async function enter(event: FormEvent): Promise<void> {
    event.preventDefault();
    try {
      await login(token);
      live.start();
      await client.invalidateQueries();
    } catch (error) {
      setProblem(formatProblem(error));
    }
  }
  return (
    <main className="login" id="content">
      <form onSubmit={(event) => void enter(event)}>
        <h1>
          <Icon name="mark" /> Toolscope
        </h1>
        <p>
          This service wants its token. It is the value of TOOLSCOPE_TOKEN that the service was started with.
        </p>
        <label>
          Token
          <input
            type="password"
            autoComplete="current-password"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        {problem ? (
          <p className="problem" role="alert">
            {problem}
          </p>
        ) : null}
        <button type="submit" className="button primary" disabled={token === ''}>
          Open the dashboard
        </button>
      </form>
    </main>
  );
}

function formatProblem(error: unknown): string {
  if (error instanceof TokenWantedError) return 'That is not the token of this service.';
  return error instanceof Error ? error.message : 'The service does not answer.';
}
