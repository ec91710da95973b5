// Which catalogues of a server are in use. Two processes of different versions list in turn, an hour apart or at other times of a
// day: the last to list is not the current one, and the other is not gone. A catalogue is in use while it was listed within a day of
// the newest listing of its server and environment, unless a later one took its place: one first listed after its last listing.
//
// Told by listings, not by the clock: a server that nobody runs overnight has the same catalogues in use in the morning. One that was
// listed again beside a later one stays for the whole day, so that the next deploy of the other does not end it for an hour.

/** Listings of a running process are an hour apart; people who run theirs in turn do so within a day. */
export const IN_USE_MS = 86_400_000;

const IN_USE_US = IN_USE_MS * 1_000;

/**
 * The definitions that stand in catalogues in use, as a subquery: `server_name`, `environment_in`, `tool_name`, `definition_hash`, and
 * `used_in`, the catalogues. A catalogue has no times of its own in each environment; those of its definitions there bound them.
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
