// The pages of the dashboard, each where the simulated fortnight has most to say.

export const README_PICTURES = [
  ['overview', '/?from=now-7d'],
  ['tool', '/tools/create_order?of=shop-simulated&from=now-14d'],
  ['incidents', '/incidents?from=now-14d'],
] as const;

const SERVER = 'shop-simulated';

export const ALL_PAGES: readonly (readonly [name: string, path: string])[] = [
  ...README_PICTURES,
  ['loops', '/loops?from=now-14d'],
  ['overview-day', '/?from=now-1d'],
  ['tools', '/tools?from=now-7d'],
  ['tools-never', '/tools?tab=never&from=now-7d'],
  ['tools-advice', '/tools?tab=advice&from=now-14d'],
  ['tool-search', `/tools/search_tickets?of=tickets-simulated&from=now-7d`],
  ['sessions', '/sessions?from=now-1d'],
  ['calls', '/calls?from=now-6h'],
  ['calls-errors', '/calls?from=now-7d&errors=true'],
  ['server', `/servers/${SERVER}?from=now-14d`],
  ['clients', '/clients?from=now-14d'],
  ['comparison', `/comparison?of=${SERVER}&before=2.4.0&after=2.4.1&from=now-14d`],
  ['plans', '/plans?from=now-7d'],
  ['data-flow', '/data-flow?from=now-2d'],
  ['alerts', '/alerts'],
  ['add-server', '/add-server'],
  ['administration', '/administration'],
  ['settings', '/settings'],
];
