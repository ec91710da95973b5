// `import 'toolscope/auto'` and `node --import toolscope/auto`: observes each MCP server of the process when it connects.

import './auto-require.ts';
import { observeLinkedSdks } from './instrumentation/auto/linked-modules.ts';

await observeLinkedSdks();
