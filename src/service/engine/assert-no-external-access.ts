// Disables disk and network access from SQL. The engine can read files and URLs inside a SELECT; none of our
// statements do, and every outside value is a literal, so this is defence in depth against SQL injection.

import { StatementError } from './statement-error.ts';

/** Literals and comments; quoted identifiers stay, because a function may be quoted. */
const LITERAL = /'(?:[^'\\]|\\[\s\S]|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** Table functions and functions that leave the database, in ClickHouse 26.7; the cluster forms begin alike. */
const EXTERNAL_FUNCTION =
  /\b(?:file|url|uri|s3|gcs|cosn|oss|hdfs|azureBlobStorage|remote|remoteSecure|cluster|executable|python|mysql|postgresql|mongodb|redis|sqlite|odbc|jdbc|arrowFlight|ytsaurus|iceberg\w*|deltaLake\w*|hudi|paimon\w*|(?:file|url|s3|hdfs|azureBlobStorage)Cluster|clusterAllReplicas|catboostEvaluate)[`"]?\s*\(/i;
const EXTERNAL_WRITE = /\bINTO\s+OUTFILE\b|\bINSERT\s+INTO\s+(?:TABLE\s+)?FUNCTION\b/i;
const EXTERNAL_TABLE_ENGINE =
  /\bENGINE\s*=?\s*[`"]?(?:File|URL|S3\w*|HDFS|Executable\w*|MySQL|PostgreSQL|MongoDB|Redis|SQLite|ODBC|JDBC|Kafka|NATS|RabbitMQ|AzureBlobStorage|Distributed)\b/i;
/** Our own way to a file: the engine allows it one directory. */
const BACKUP_STATEMENT = /^\s*(?:BACKUP|RESTORE)\b/i;

const ACCESS_DENIED = { code: 497, type: 'ACCESS_DENIED' };

/**
 * Refuses a statement that would leave the database.
 *
 * @param sql with its parameters rendered
 * @throws StatementError ACCESS_DENIED
 */
export function assertNoExternalAccess(sql: string): void {
  if (BACKUP_STATEMENT.test(sql)) return;
  const withoutLiterals = sql.replace(LITERAL, (literal) => (literal.startsWith("'") ? "''" : ' '));
  if (
    !EXTERNAL_FUNCTION.test(withoutLiterals) &&
    !EXTERNAL_WRITE.test(withoutLiterals) &&
    !EXTERNAL_TABLE_ENGINE.test(withoutLiterals)
  )
    return;
  throw new StatementError(ACCESS_DENIED, 'A statement may not leave the database');
}
