// Disables zod's JIT; must be imported before any schema is created. By default zod compiles schemas with
// `new Function`, which the Content-Security-Policy forbids and reports even when zod only probes for it.
import { z } from 'zod';

z.config({ jitless: true });
