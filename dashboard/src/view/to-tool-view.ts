// The view whose calls are those of one tool: what a link behind one of its numbers needs.
import { type View, withFilter } from './view.ts';

export function toToolView(
  view: View,
  { server, tool }: { readonly server: string; readonly tool: string },
): View {
  return withFilter(withFilter(view, ['server', server]), ['tool', tool]);
}
