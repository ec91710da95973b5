// Maps store errors to UpstreamError. The important decision is whether the same bytes may be accepted later.
// An unknown code counts as retryable, because an abandoned batch is lost.

import { ClickHouseError } from '@clickhouse/client';
import { type ErrorCode, UpstreamError } from '../../errors.ts';

interface ErrorMapping {
  readonly code: ErrorCode;
  readonly retryable: boolean;
}

const PERMANENT: ErrorMapping = { code: 'STORE_REJECTED', retryable: false };
const TIMEOUT: ErrorMapping = { code: 'STORE_TIMEOUT', retryable: true };
const UNAVAILABLE: ErrorMapping = { code: 'STORE_UNAVAILABLE', retryable: true };

/** ClickHouse's error codes, from src/Common/ErrorCodes.cpp of 26.7; only those that differ from "later". */
const MAPPING_BY_CODE: ReadonlyMap<number, ErrorMapping> = new Map<number, ErrorMapping>([
  // The bytes are not rows of that table, and never will be.
  ...[
    6, // CANNOT_PARSE_TEXT
    25, // CANNOT_PARSE_ESCAPE_SEQUENCE
    26, // CANNOT_PARSE_QUOTED_STRING
    27, // CANNOT_PARSE_INPUT_ASSERTION_FAILED
    38, // CANNOT_PARSE_DATE
    41, // CANNOT_PARSE_DATETIME
    53, // TYPE_MISMATCH
    69, // ARGUMENT_OUT_OF_BOUND
    70, // CANNOT_CONVERT_TYPE
    72, // CANNOT_PARSE_NUMBER
    117, // INCORRECT_DATA, an unknown field among them
    130, // CANNOT_READ_ARRAY_FROM_TEXT
    131, // TOO_LARGE_STRING_SIZE
    190, // SIZES_OF_ARRAYS_DONT_MATCH
    349, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
    467, // CANNOT_PARSE_BOOL
    // The statement or its parameters are wrong; retrying does not help.
    36, // BAD_ARGUMENTS
    43, // ILLEGAL_TYPE_OF_ARGUMENT
    46, // UNKNOWN_FUNCTION
    47, // UNKNOWN_IDENTIFIER
    62, // SYNTAX_ERROR
    456, // UNKNOWN_QUERY_PARAMETER
    457, // BAD_QUERY_PARAMETER
  ].map((code): [number, ErrorMapping] => [code, PERMANENT]),
  [159, TIMEOUT], // TIMEOUT_EXCEEDED
  [160, TIMEOUT], // TOO_SLOW
]);

/**
 * Code 252 has two meanings: too many parts, which passes, and a batch with over a hundred days, which does
 * not.
 */
function isTooManyDays(error: ClickHouseError): boolean {
  return error.code === '252' && error.message.includes('Too many partitions for single INSERT block');
}

/**
 * A table filled by a materialised view refused the rows, and its base table already has them. Whatever the
 * code, the same bytes must be resent: halves would count twice in the base table.
 */
function isPartialWrite({ message }: ClickHouseError): boolean {
  return message.includes('while pushing to view');
}

function findMapping(error: ClickHouseError): ErrorMapping {
  if (isPartialWrite(error)) return UNAVAILABLE;
  if (isTooManyDays(error)) return PERMANENT;
  return MAPPING_BY_CODE.get(Number(error.code)) ?? UNAVAILABLE;
}

/**
 * @param thrown whatever `@clickhouse/client` threw: a ClickHouseError when the store answered, a network error when not
 * @returns an error without the statement and its values
 */
export function toUpstreamError(thrown: unknown): UpstreamError {
  if (thrown instanceof ClickHouseError) {
    const mapping = findMapping(thrown);
    const message = `The store answered ${thrown.type ?? 'an error'} (${thrown.code})`;
    return new UpstreamError(mapping.code, message, { retryable: mapping.retryable, cause: thrown });
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  if (/abort|timeout/i.test(text))
    return new UpstreamError('STORE_TIMEOUT', 'The store did not answer in time', {
      retryable: true,
      cause: thrown,
    });
  return new UpstreamError('STORE_UNAVAILABLE', 'The store cannot be reached', {
    retryable: true,
    cause: thrown,
  });
}
