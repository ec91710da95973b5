// An error in ClickHouse's own form: a numeric code, a type in capitals, and the sentence between, which is how
// `@clickhouse/client` recognises one. Raised by the child itself or read from the engine's text.

export interface ExceptionKind {
  readonly code: number;
  readonly type: string;
}

export class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly code: number;
  readonly type: string;

  constructor(kind: ExceptionKind, message: string) {
    super(message);
    this.code = kind.code;
    this.type = kind.type;
  }

  /** The body of an error response: `Code: 62. DB::Exception: … (SYNTAX_ERROR)`. */
  format(): string {
    return `Code: ${this.code}. DB::Exception: ${this.message} (${this.type})\n`;
  }
}

const EXCEPTION_TEXT = /^Code: (\d+)\. DB::Exception: ([\s\S]*) \(([A-Z][A-Z0-9_]*)\)\s*$/;

/**
 * Reads whatever the engine threw.
 *
 * @returns a StatementError; code 1002 (UNKNOWN_EXCEPTION) when the text is not in ClickHouse's form
 */
export function toStatementError(thrown: unknown): StatementError {
  if (thrown instanceof StatementError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const match = EXCEPTION_TEXT.exec(text);
  if (!match) return new StatementError({ code: 1002, type: 'UNKNOWN_EXCEPTION' }, text);
  return new StatementError({ code: Number(match[1]), type: match[3] ?? '' }, match[2] ?? '');
}

/** ClickHouse's own choice of status for the codes that have one; everything else is a 500. */
const HTTP_STATUS_BY_CODE: Readonly<Record<number, number>> = {
  26: 400,
  27: 400,
  36: 400,
  47: 404,
  48: 501,
  53: 400,
  60: 404,
  62: 400,
  81: 404,
  115: 404,
  117: 400,
  159: 408,
  194: 401,
  202: 503,
  236: 503,
  456: 400,
  457: 400,
  516: 403,
};

export function toHttpStatus(error: StatementError): number {
  return HTTP_STATUS_BY_CODE[error.code] ?? 500;
}
