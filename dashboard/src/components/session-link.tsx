// A session by its shortened id.
import { Link } from 'wouter';
import { truncateMiddle } from '../format/truncate-middle.ts';
import { sessionPath } from '../paths.ts';
import type { View } from '../view/view.ts';

interface SessionLinkProps {
  readonly session: { readonly sessionId: string; readonly server: string };
  readonly view: View;
}

export function SessionLink({ session: { sessionId, server }, view }: SessionLinkProps) {
  return (
    <Link href={sessionPath(view, { id: sessionId, of: server })} title={sessionId}>
      <code>{truncateMiddle(sessionId)}</code>
    </Link>
  );
}
