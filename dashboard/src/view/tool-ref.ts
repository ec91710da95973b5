// A tool of a server: its key, and the view narrowed to its calls.
import { type View, withFilter } from './view.ts';

export interface ToolRef {
  readonly server: string;
  readonly tool: string;
}

/** Identifies a tool across servers; the name of its series, too, when there are several servers. */
export function toolKey({ server, tool }: ToolRef): string {
  return `${server}/${tool}`;
}

/** For the links behind the numbers of a tool. */
export function toToolView(view: View, { server, tool }: ToolRef): View {
  return withFilter(withFilter(view, ['server', server]), ['tool', tool]);
}
