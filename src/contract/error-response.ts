// The body of every error, except for OTLP, which has its own format.

import { z } from 'zod';

export const ErrorResponse = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    hint: z.string().optional(),
  }),
});
export type ErrorResponse = z.infer<typeof ErrorResponse>;
