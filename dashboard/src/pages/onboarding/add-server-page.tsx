// How to instrument another server, with a check that its first event has arrived.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ServersResponse } from '../../../../src/contract/tools.ts';
import { useResource } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { Ago } from '../../components/values.tsx';
import { serverPath } from '../../paths.ts';
import { useView } from '../../view/use-view.ts';
import { prepareReceived } from './prepare-received.ts';
import { SetupMethods } from './setup-methods.tsx';

/** Short, because the reader is waiting for the first event. */
const POLL_INTERVAL_MS = 2_000;
const RECENT = { from: 'now-1h', to: 'now' } as const;

export function AddServerPage() {
  return (
    <div className="page onboarding">
      <h1>Instrument a server and call one of its tools.</h1>
      <SetupMethods />
      <ReceivedServers />
    </div>
  );
}

function ReceivedServers() {
  const view = useView();
  const client = useQueryClient();
  const [openedAtMs] = useState(Date.now);
  const { data, dataUpdatedAt } = useResource('servers', RECENT);
  const servers = dataUpdatedAt >= openedAtMs ? data?.servers : undefined;
  // What had arrived when the page was opened.
  const before = useRef<ServersResponse['servers']>(undefined);
  before.current ??= servers;
  useEffect(() => {
    const timer = setInterval(
      () => void client.invalidateQueries({ queryKey: ['servers', RECENT] }),
      POLL_INTERVAL_MS,
    );
    return () => clearInterval(timer);
  }, [client]);
  if (!before.current) return null;
  const received = prepareReceived(before.current, servers ?? before.current);
  return (
    <output className="first-event">
      {received.length === 0 ? (
        <>
          <i className="pulse" aria-hidden="true" /> Waiting for an event at{' '}
          <code>{window.location.origin}</code>
        </>
      ) : (
        <ul aria-label="Received">
          {received.map(({ server, isNew, lastEventAt }) => (
            <li key={server}>
              <Icon name="check" /> Received from <Link href={serverPath(view, server)}>{server}</Link>
              {isNew ? ', a new server,' : ''} <Ago at={lastEventAt} />
            </li>
          ))}
        </ul>
      )}
    </output>
  );
}
