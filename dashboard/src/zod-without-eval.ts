// Disables zod's JIT; must be imported before any schema is created. zod compiles schemas with `new Function`
// by default, which the service's Content-Security-Policy blocks and reports even when zod only probes for
// it.
import { z } from 'zod';

z.config({ jitless: true });
