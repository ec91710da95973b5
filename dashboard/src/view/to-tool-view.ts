// The view narrowed to the calls of one tool, for the links behind its numbers.
import { type View, withFilter } from './view.ts';

export function toToolView(
  view: View,
  { server, tool }: { readonly server: string; readonly tool: string },
): View {
  return withFilter(withFilter(view, ['server', server]), ['tool', tool]);
}
