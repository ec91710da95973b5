// Saved views: names for addresses of the dashboard, shared by its readers.

import { z } from 'zod';
import { time } from './fields.ts';

export const MAX_VIEW_NAME_LENGTH = 80;

/** A path of the dashboard with its query, never another site. */
const dashboardPath = z
  .string()
  .max(2_000)
  .regex(/^\/(?![/\\])/, { error: 'must be a path of the dashboard, starting with one slash' });

export const SavedView = z.object({
  id: z.string(),
  name: z.string(),
  path: dashboardPath,
  createdAt: time,
});
export type SavedView = z.infer<typeof SavedView>;

/** By name. */
export const SavedViewsResponse = z.object({ views: z.array(SavedView) });
export type SavedViewsResponse = z.infer<typeof SavedViewsResponse>;

/** A view of the same name is replaced. */
export const SavedViewBody = z.strictObject({
  name: z.string().trim().min(1).max(MAX_VIEW_NAME_LENGTH),
  path: dashboardPath,
});
export type SavedViewBody = z.infer<typeof SavedViewBody>;
