// The name of a server, as a link to its page.
import { Link } from 'wouter';
import { serverPath } from '../paths.ts';
import { useView } from '../view/use-view.ts';

export function ServerLink({ server }: { readonly server: string }) {
  const view = useView();
  return server === '' ? null : <Link href={serverPath(view, server)}>{server}</Link>;
}
