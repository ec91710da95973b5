// Requests of the protocol that become calls, for the filter; any other method can still stand in the address.
export const METHODS = [
  'tools/call',
  'tools/list',
  'initialize',
  'server/discover',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'sampling/createMessage',
  'elicitation/create',
] as const;
