// Which catalogues of a server are in use. Two processes of different versions list in turn, an hour apart or
// at other times of the day: the last one to list is not necessarily current, and the other is not gone. A
// catalogue is in use if it was listed within a day of the newest listing of its server and environment,
// unless a later catalogue replaced it, that is, one first listed after its last listing.
//
// This is based on listings, not on the clock: a server that is stopped overnight has the same catalogues in
// use in the morning. A catalogue that was listed again after a later one appeared stays in use for the whole
// day, so that the next deploy of the other does not end it for an hour.

/** A running process lists every hour; processes that are run alternately list within a day. */
export const IN_USE_MS = 86_400_000;

const IN_USE_US = IN_USE_MS * 1_000;

/**
 * Subquery for the definitions in catalogues in use: `server_name`, `environment_in`, `tool_name`,
 * `definition_hash`, and `used_in`, the catalogues. A catalogue has no times per environment; the times of
 * its definitions there bound them.
 *
 * @param where on `server_name` and `environment_in`
 */
export const cataloguesInUseSql = (where: string): string => `
        SELECT server_name, environment_in, one.1 AS tool_name, one.2 AS definition_hash, groupUniqArray(catalogue_hash) AS used_in
        FROM (
          SELECT
            *,
            leadInFrame(first_in, 1, 0) OVER (
              PARTITION BY server_name, environment_in ORDER BY first_in, catalogue_hash ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING
            ) AS next_in
          FROM (
            SELECT *, max(last_in) OVER (PARTITION BY server_name, environment_in) AS newest_in
            FROM (
              SELECT
                server_name,
                environment_in,
                catalogue_hash,
                greatest(max(first_defined), min(first_of)) AS first_in,
                least(min(last_defined), max(last_of)) AS last_in,
                groupArray((tool_name, definition_hash)) AS offered
              FROM (
                SELECT
                  server_name,
                  environment_in,
                  catalogue_hash,
                  tool_name,
                  any(catalogue_tools.definition_hash) AS definition_hash,
                  toUnixTimestamp64Micro(min(first_listed)) AS first_of,
                  toUnixTimestamp64Micro(max(last_listed)) AS last_of
                FROM catalogue_tools
                ARRAY JOIN environments AS environment_in
                WHERE ${where}
                GROUP BY server_name, environment_in, catalogue_hash, tool_name
              ) AS stood
              INNER JOIN (
                SELECT
                  server_name,
                  environment_in,
                  tool_name,
                  definition_hash,
                  toUnixTimestamp64Micro(min(first_seen)) AS first_defined,
                  toUnixTimestamp64Micro(max(last_listed)) AS last_defined
                FROM tools
                ARRAY JOIN environments AS environment_in
                WHERE ${where}
                GROUP BY server_name, environment_in, tool_name, definition_hash
              ) AS defined USING (server_name, environment_in, tool_name, definition_hash)
              GROUP BY server_name, environment_in, catalogue_hash
            )
          )
          WHERE last_in >= newest_in - ${IN_USE_US}
        )
        ARRAY JOIN offered AS one
        WHERE next_in = 0 OR last_in > next_in
        GROUP BY server_name, environment_in, tool_name, definition_hash`;
