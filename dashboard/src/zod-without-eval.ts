// Imported before any schema is made: zod compiles schemas with `new Function` unless told not to, and the service's
// Content-Security-Policy forbids that and reports even the attempt.
import { z } from 'zod';

z.config({ jitless: true });
