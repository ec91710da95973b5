// One handler for each resource and action of the registry. A missing or surplus handler is a compile error.

import type { ToolCall } from '../core/model/tool-call.ts';
import type { MergedFilters } from './filter-value.ts';
import type {
  ACTIONS,
  ActionBody,
  ActionName,
  ActionResponse,
  PathParameters,
  RESOURCES,
  ResourceName,
  ResourceQuery,
  ResourceResponse,
} from './resources.ts';
import type { TimeRange } from './time-range.ts';

/** A query whose `from` and `to` have become instants, with one value for each filter. */
export type ResolvedQuery<Q> = MergedFilters<Omit<Q, 'from' | 'to'>> & { readonly range: TimeRange };

/** The query of a resource, with times resolved, and the parameter of its path. */
export type ResourceRequest<N extends ResourceName> = (ResourceQuery<N> extends { from: string; to: string }
  ? ResolvedQuery<ResourceQuery<N>>
  : MergedFilters<ResourceQuery<N>>) &
  PathParameters<(typeof RESOURCES)[N]['path']>;

/** The body of an action and the parameter of its path. */
export type ActionRequest<N extends ActionName> = ActionBody<N> & PathParameters<(typeof ACTIONS)[N]['path']>;

/** One page of calls in the model's own form. */
export interface ToolCallPage {
  readonly calls: readonly ToolCall[];
  readonly nextCursor: string | null;
}

/** What exporting calls needs besides the pages of `calls`. */
interface ExportHandlers {
  /** The same pages as `calls`, with every stored column. */
  exportCalls(request: ResourceRequest<'calls'>): Promise<ToolCallPage>;
  /** Number of calls on all pages. */
  countCalls(request: ResourceRequest<'calls'>): Promise<number>;
}

/** Each throws UserError for an invalid request and UpstreamError when the store fails. */
export type Handlers = ExportHandlers & {
  readonly [N in ResourceName]: (request: ResourceRequest<N>) => Promise<ResourceResponse<N>>;
} & {
  readonly [N in ActionName]: (
    request: ActionRequest<N>,
  ) => Promise<ActionResponse<N> extends undefined ? void : ActionResponse<N>>;
};

export type AlertHandlers = Pick<
  Handlers,
  | 'alerts'
  | 'alertEvents'
  | 'alertDeliveries'
  | 'silences'
  | 'addSilence'
  | 'endSilence'
  | 'acknowledgeAlert'
  | 'testAlert'
  | 'backtestAlerts'
  | 'alertRules'
  | 'saveAlertRule'
  | 'removeAlertRule'
  | 'previewAlertRule'
  | 'retryDelivery'
>;

export type MaintenanceHandlers = Pick<Handlers, 'purge' | 'backup'>;

export type SavedViewHandlers = Pick<Handlers, 'savedViews' | 'addSavedView' | 'removeSavedView'>;

/** The handlers that only read and write the store. */
export type Queries = Omit<
  Handlers,
  keyof AlertHandlers | keyof MaintenanceHandlers | keyof SavedViewHandlers | 'administration'
>;
