// Names copied from OpenTelemetry's GenAI/MCP semantic conventions (semantic-conventions-genai,
// docs/gen-ai/mcp.md, status Development, read 2026-08), so that a library update cannot rename stored
// attributes.

export const ATTR_METHOD_NAME = 'mcp.method.name';
export const ATTR_SESSION_ID = 'mcp.session.id';
export const ATTR_PROTOCOL_VERSION = 'mcp.protocol.version';
export const ATTR_RESOURCE_URI = 'mcp.resource.uri';
export const ATTR_TOOL_NAME = 'gen_ai.tool.name';
export const ATTR_PROMPT_NAME = 'gen_ai.prompt.name';
export const ATTR_OPERATION_NAME = 'gen_ai.operation.name';
export const ATTR_TOOL_ARGUMENTS = 'gen_ai.tool.call.arguments';
export const ATTR_TOOL_RESULT = 'gen_ai.tool.call.result';
export const ATTR_REQUEST_ID = 'jsonrpc.request.id';
/** Always a string here, e.g. `"-32602"`; some emitters send an integer. */
export const ATTR_RPC_STATUS_CODE = 'rpc.response.status_code';
export const ATTR_ERROR_TYPE = 'error.type';
/** `pipe` for stdio, `tcp` for HTTP. */
export const ATTR_NETWORK_TRANSPORT = 'network.transport';
export const ATTR_NETWORK_PROTOCOL_NAME = 'network.protocol.name';

/** Not in the conventions; the names Sentry, Envoy and Quarkus agree on. */
export const ATTR_CLIENT_NAME = 'mcp.client.name';
export const ATTR_CLIENT_VERSION = 'mcp.client.version';
export const ATTR_SERVER_NAME = 'mcp.server.name';
export const ATTR_SERVER_VERSION = 'mcp.server.version';

/** Outside of OTLP, the name of the instrumentation scope. */
export const ATTR_SCOPE_NAME = 'otel.scope.name';
export const ATTR_SERVICE_NAME = 'service.name';
export const ATTR_SERVICE_VERSION = 'service.version';
export const ATTR_DEPLOYMENT_ENVIRONMENT = 'deployment.environment.name';

/** Value of `error.type` for a result with `isError: true`. */
export const ERROR_TYPE_TOOL_ERROR = 'tool_error';
/** Value of `gen_ai.operation.name` on `tools/call`. */
export const OPERATION_EXECUTE_TOOL = 'execute_tool';

/** Methods that the code distinguishes; every other method passes through unchanged. */
export const METHOD_INITIALIZE = 'initialize';
export const METHOD_DISCOVER = 'server/discover';
export const METHOD_TOOLS_LIST = 'tools/list';
export const METHOD_TOOLS_CALL = 'tools/call';
export const METHOD_RESOURCES_READ = 'resources/read';
export const METHOD_PROMPTS_GET = 'prompts/get';
export const METHOD_CANCELLED = 'notifications/cancelled';

/** Keys of `params._meta` and of results' `_meta` (MCP 2026-07-28, basic/index#_meta). */
export const META_TRACEPARENT = 'traceparent';
export const META_TRACESTATE = 'tracestate';
export const META_PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const META_CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const META_SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
