// The page of clients: who calls the servers, which tools, with which outcome, over which protocol, and who connects without a call.
import { toQueryParams, useResource } from '../../api/queries.ts';
import { formatPlural } from '../../format/format-number.ts';
import { useRangeText } from '../../view/use-range-text.ts';
import { useView } from '../../view/use-view.ts';
import { ClientsPanel } from '../overview/clients-panel.tsx';
import { ProtocolPanel } from '../overview/protocol-panel.tsx';
import { UncalledSessionsPanel } from '../sessions/uncalled-sessions-panel.tsx';
import { AgentSidePanel } from './agent-side-panel.tsx';
import { CallersPanel } from './callers-panel.tsx';

export function ClientsPage() {
  const view = useView();
  const range = useRangeText(view);
  const clients = useResource('clients', toQueryParams(view)).data;
  const counts = useResource('sessionCounts', toQueryParams(view)).data;
  const known = clients ? clients.clients.length + clients.rest.clients : undefined;
  return (
    <div className="page clients-page">
      <h1>{known === undefined ? 'Clients' : `${formatPlural(known, 'client')} called ${range}.`}</h1>
      <ClientsPanel view={view} isOnOwnPage />
      <CallersPanel view={view} />
      <ProtocolPanel view={view} />
      <AgentSidePanel view={view} />
      {counts ? <UncalledSessionsPanel counts={counts} view={view} /> : null}
    </div>
  );
}
