// The saved views of the service and of this browser, by name.
import type { SavedView } from '../../../src/contract/saved-views.ts';
import { readLocalViews } from '../view/local-views.ts';
import { useResource } from './queries.ts';

export function useSavedViews(): SavedView[] {
  const { data } = useResource('savedViews', {});
  const all = [...(data?.views ?? []), ...readLocalViews()];
  return all.sort((one, other) => one.name.localeCompare(other.name));
}
