// Cuts a file of SQL into statements: the HTTP interface takes one at a time. A semicolon inside of a string, a
// quoted name or a comment does not end one.

const TOKEN =
  /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`|--[^\n]*|\/\*[\s\S]*?\*\/|;|[^'"`;/-]+|[\s\S]/g;

/** @returns the statements without comments and without their semicolons */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let current = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ';') {
      statements.push(current);
      current = '';
    } else if (!/^(?:--|\/\*)/.test(token)) current += token;
  }
  return [...statements, current]
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
