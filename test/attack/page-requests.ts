// What the pages of the dashboard ask, name for name.

const SUSPECTED_LOOPS = 'loops?severity=suspected&limit=100';

/** By page; the time range is added to each. */
export const PAGE_REQUESTS: Readonly<Record<string, readonly string[]>> = {
  overview: [
    ...[
      'servers',
      'summary',
      'trend',
      'clients',
      'protocols',
      'guard',
      'rates',
      'attention',
      'tools',
      'errors',
      'changes',
    ],
    ...[SUSPECTED_LOOPS, 'storms', 'series?by=tool&metric=calls', 'series?by=tool&metric=errorRate'],
    ...['series?by=tool&metric=correctCallRate', 'series?by=tool&metric=recoveryRate'],
    ...['series?by=tool&metric=p95', 'never-called', 'sessions?minCalls=31&order=calls&limit=8'],
  ],
  'result use': ['servers', 'result-use', 'tools', 'rates', 'changes', 'series?by=tool&metric=resultUseRate'],
  tools: ['servers', 'tools', 'errors', 'tool-columns', 'never-called', 'advice?state=open'],
  tool: [
    'servers',
    'tools/search?server=attacked',
    'rates?server=attacked&tool=search',
    'contract-truth?server=attacked&tool=search',
    'recoveries?server=attacked&tool=search',
    'dependencies?server=attacked&tool=search',
    'changes',
  ],
  sessions: [
    ...['servers', 'sessions?order=recent&limit=100', 'sessions?order=calls&limit=100', 'session-counts'],
  ],
  session: ['servers', 'sessions/session-0?server=attacked&limit=1000'],
  loops: ['servers', 'summary', SUSPECTED_LOOPS, 'storms'],
  calls: ['servers', 'call-values', 'calls?limit=200', 'calls?limit=200&errors=true'],
};
