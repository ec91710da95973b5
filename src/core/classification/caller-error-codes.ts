// Which error codes say that the caller erred, where a tool reports it as an error of its own. The stored fault is about the
// protocol and stays as it is; a rate of correct calls reads this table. Patterns are for RE2 in SQL and for RegExp.

/** Codes such as `INVALID_ID`, `VALIDATION_ERROR`, `NOTE_NOT_FOUND`, `VERSION_CONFLICT`, `NotFoundError`, `ENOENT`. */
export const CALLER_CODE_PATTERN =
  '^(?:E_|ERR_)?(?:INVALID|VALIDATION|MISSING|MALFORMED|ILLEGAL|UNSUPPORTED|UNRECOGNI[SZ]ED|UNPROCESSABLE|DUPLICATE|CONFLICT|STALE|AMBIGUOUS|NO_SUCH|NOT_FOUND|OUT_OF_RANGE|ALREADY_EXISTS|BAD_(?:REQUEST|INPUT|ARGUMENT|ARGUMENTS|ARGS|PARAM|PARAMS|PARAMETER|FORMAT|VALUE|ID)|UNKNOWN_(?:ID|TYPE|FIELD|ARGUMENT|PARAM|PARAMETER|NAME|KEY|VALUE|ENUM|COLUMN|TABLE|PROJECT|USER))(?:_|$)' +
  '|_(?:NOT_FOUND|NOT_EXIST|DOES_NOT_EXIST|CONFLICT|ALREADY_EXISTS|EXISTS|INVALID|REQUIRED|MALFORMED|OUT_OF_RANGE|MISMATCH|TOO_LONG|TOO_SHORT|TOO_LARGE|TOO_SMALL|TOO_MANY)$' +
  '|^(?:EEXIST|EINVAL|EISDIR|ENOENT|ENOTDIR|ENOTEMPTY|ERANGE|HTTP_4\\d\\d)$' +
  '|^(?:\\w*[a-z.])?(?:Validation|NotFound|InvalidArgument|InvalidParams|InvalidInput|BadRequest|Conflict|AlreadyExists|FileNotFound)(?:Error|Exception)?$' +
  '|^(?:invalid|missing|validation|bad|duplicate|unsupported|malformed)_[a-z_]+$|^(?:[a-z]+_)*(?:not_found|conflict|already_exists|out_of_range)$';

/** Of those, codes about what the server itself is set up with or gets from elsewhere. */
export const SERVER_CODE_PATTERN =
  '(?i)(?:API_?KEY|CREDENTIALS?|ACCESS_TOKEN|AUTH_TOKEN|OAUTH|INVALID_GRANT|LICEN[SC]E|CONFIG|CONFIGURATION|ENV|ENVIRONMENT|CERTIFICATE|RESPONSE|UPSTREAM|STATE|MODULE|COMMAND|HOST|DNS|TOO_MANY_REQUESTS)(?:_NOT_FOUND|_ERROR|_INVALID|_REQUIRED|_MISMATCH)?$';

/** Codes that a server uses in another sense. */
export interface ErrorCodeOverride {
  /** Codes of errors of the caller, in addition. */
  readonly callerCodes: readonly string[];
  /** Codes of errors that are none of the caller. */
  readonly serverCodes: readonly string[];
}

/** By server; `*` for all. */
export type ErrorCodeOverrides = Readonly<Record<string, ErrorCodeOverride>>;

const CALLER_CODE = new RegExp(CALLER_CODE_PATTERN);
const SERVER_CODE = new RegExp(SERVER_CODE_PATTERN.replace('(?i)', ''), 'i');

/** Whether a code says that the caller erred, without overrides. */
export function isCallerCode(code: string): boolean {
  return CALLER_CODE.test(code) && !SERVER_CODE.test(code);
}
