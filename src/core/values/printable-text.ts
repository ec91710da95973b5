// Makes third-party text safe for a terminal and a build log. Names, descriptions, messages and answers of servers may
// contain escape sequences, bidirectional marks, invisible characters, line breaks, and commands of a CI system. All of
// them are shown escaped, and none takes effect.

/** Controls, formats (bidirectional, zero-width), line and paragraph separators, lone surrogates, and what is drawn as nothing. */
const UNPRINTABLE = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const UNPRINTABLE_EXCEPT_LINES =
  /(?!\n|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** `::error …` of GitHub at the beginning of a line; `##[…]`, `##vso[…]`, `##teamcity[…]` of others anywhere in it. */
const GITHUB_COMMAND = /^([^\S\n]*):(?=:)/gm;
const HASH_COMMAND = /#(?=#[\w.-]*\[)/g;

/**
 * A text as part of one line: what cannot be printed becomes `\u001b` and the like, line breaks too. Changes nothing when run
 * on its own result.
 */
export function toPrintableLine(text: string): string {
  return escapeBuildCommands(text.replace(UNPRINTABLE, escapeUnits));
}

/**
 * A text of several lines, made of one's own words and of what went through `printable`; line breaks and tabs stay. JSON
 * stays JSON of the same value.
 */
export function toPrintableText(text: string): string {
  return escapeBuildCommands(text.replace(UNPRINTABLE_EXCEPT_LINES, escapeUnits));
}

function escapeBuildCommands(text: string): string {
  return text
    .replace(GITHUB_COMMAND, (_, indent: string) => `${indent}${escapeUnits(':')}`)
    .replace(HASH_COMMAND, escapeUnits);
}

/** By UTF-16 unit, as JSON has it. */
function escapeUnits(characters: string): string {
  return Array.from(
    { length: characters.length },
    (_, at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
