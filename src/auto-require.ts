// `require('toolscope/auto')`: as `auto.ts`, which CommonJS cannot load because it waits. Modules are not linked ahead in CommonJS.

import { installSourceHooks } from './instrumentation/auto/source-hooks.ts';
import { neverThrow } from './instrumentation/wrapper/never-throw.ts';

neverThrow(installSourceHooks);
