// Attributes by which a span names what it talks to: the OpenTelemetry semantic conventions (read 2026-08), each
// with its older names after it, because instrumentations change slowly.

/** The logical name of the other side, given by the operator. */
export const PEER_NAMES = ['service.peer.name', 'peer.service'] as const;

export const DB_SYSTEM_NAMES = ['db.system.name', 'db.system'] as const;
export const DB_NAMESPACE_NAMES = ['db.namespace', 'db.name', 'db.redis.database_index'] as const;
export const DB_OPERATION_NAMES = ['db.operation.name', 'db.operation'] as const;
export const DB_COLLECTION_NAMES = [
  'db.collection.name',
  'db.sql.table',
  'db.mongodb.collection',
  'db.cassandra.table',
] as const;

export const HTTP_METHOD_NAMES = ['http.request.method', 'http.method'] as const;
export const URL_NAMES = ['url.full', 'http.url'] as const;

export const RPC_SYSTEM_NAMES = ['rpc.system.name', 'rpc.system'] as const;
export const RPC_SERVICE_NAMES = ['rpc.service'] as const;
export const RPC_METHOD_NAMES = ['rpc.method'] as const;

export const MESSAGING_SYSTEM_NAMES = ['messaging.system'] as const;
export const MESSAGING_DESTINATION_NAMES = [
  'messaging.destination.name',
  'messaging.destination',
  'messaging.url',
] as const;

export const AI_PROVIDER_NAMES = ['gen_ai.provider.name', 'gen_ai.system'] as const;

export const SERVER_ADDRESS_NAMES = [
  'server.address',
  'net.peer.name',
  'http.host',
  'network.peer.address',
  'net.peer.ip',
  'net.sock.peer.addr',
] as const;
export const SERVER_PORT_NAMES = ['server.port', 'net.peer.port'] as const;
