// What is known of one server: its environments, versions and clients, each a filter of its calls.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useResource } from '../../api/queries.ts';
import { Fact } from '../../components/fact.tsx';
import { NoValue } from '../../components/table-columns.tsx';
import { Ago } from '../../components/values.tsx';
import { countedCallsPath } from '../../paths.ts';
import { type View, withFilter } from '../../view/view.ts';

/** Versions and clients beyond these are on the calls page. */
const MAX_NAMES = 12;

interface ServerFactsProps {
  readonly server: string;
  readonly view: View;
}

export function ServerFacts({ server, view }: ServerFactsProps) {
  const { from, to } = view;
  const row = useResource('servers', { from, to }).data?.servers.find((one) => one.server === server);
  return (
    <dl className="facts server-facts">
      <Fact name="Server">
        <strong>{server}</strong>
      </Fact>
      <Fact name="Environments">
        <Names names={row?.environments} view={view} filter="environment" />
      </Fact>
      <Fact name="Versions">
        <Names names={row?.versions} view={view} filter="version" />
      </Fact>
      <Fact name="Clients">
        <Names names={row?.clients} view={view} filter="client" />
      </Fact>
      <Fact name="Last event">
        {row ? <Ago at={row.lastEventAt} /> : <NoValue text="not in this range" />}
      </Fact>
    </dl>
  );
}

interface NamesProps {
  readonly names: readonly string[] | undefined;
  readonly view: View;
  readonly filter: 'environment' | 'version' | 'client';
}

function Names({ names = [], view, filter }: NamesProps): ReactNode {
  const known = names.filter(Boolean);
  if (known.length === 0) return <NoValue />;
  const shown = known.slice(0, MAX_NAMES);
  return (
    <>
      {shown.map((name, at) => (
        <span key={name}>
          {at > 0 ? ', ' : ''}
          <Link href={countedCallsPath(withFilter(view, [filter, name]))}>{name}</Link>
        </span>
      ))}
      {known.length > shown.length ? (
        <span className="muted"> and {known.length - shown.length} more</span>
      ) : null}
    </>
  );
}
