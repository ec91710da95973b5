// Which required argument a refusal says was not there, in the words of validators and of tools that check for themselves.

const ARGUMENT_NAME = `["'\`]?([\\w.$-]{1,100})["'\`]?`;

/** Each captures the argument's name. */
const MISSING_ARGUMENT_PATTERNS: readonly RegExp[] = [
  new RegExp(
    `(?:missing|requires?|lacks?|without|provide)(?: the| a| an)?(?: mandatory| required)? (?:parameter|argument|field|property|key|input|option)s?:? ${ARGUMENT_NAME}`,
    'i',
  ),
  new RegExp(
    `(?:parameter|argument|field|property|input):? ${ARGUMENT_NAME} (?:is|was) (?:required|missing|not provided|mandatory)`,
    'i',
  ),
  new RegExp(
    `^(?:[\\w ]{0,40}: )?${ARGUMENT_NAME} (?:is|was) (?:required|missing|a required (?:property|argument|parameter|field))`,
    'i',
  ),
  new RegExp(`must have required property ${ARGUMENT_NAME}`, 'i'),
  new RegExp(`missing \\d+ required (?:positional|keyword-only) arguments?: ${ARGUMENT_NAME}`, 'i'),
  new RegExp(`missing properties: \\[?${ARGUMENT_NAME}`, 'i'),
  new RegExp(
    `required (?:parameter|argument|field|property):? ${ARGUMENT_NAME} (?:is |was )?(?:missing|not (?:provided|set|given|found))`,
    'i',
  ),
  new RegExp(`missing required (?:parameter|argument|field|property|input)?s?:? ?${ARGUMENT_NAME}`, 'i'),
  // Pydantic: the name on a line of its own, then what is wrong with it.
  /\n([\w.]{1,100})\n\s{0,8}(?:Field required|Missing required argument)/,
];

/** Zod's issues, as JSON: `"received":"undefined","path":["content"],"message":"Required"`. */
const ZOD_ISSUE = /"received":\s*"undefined"[^}]{0,200}"path":\s*\[\s*"([^"]{1,100})"/;
const ZOD_LINE =
  /(?:received undefined|Required)["\s]{0,4}(?:at|for|in)["\s]{1,4}([\w.$-]{1,100})|\b([\w.$-]{1,100}): (?:Required|[^\n,]{0,80}received undefined)/;

/** Words that such sentences have in the name's place. */
const NOT_A_NAME =
  /^(?:a|an|the|is|was|this|that|it|which|and|or|for|argument|parameter|field|property|value|values|fields|arguments|required|one|data|authentication)$/i;

/**
 * The argument that a refusal says is missing.
 * @param message of the refusal, raw
 * @returns its path, '' where the message speaks of none
 */
export function findMissingArgument(message: string): string {
  const text = message.slice(0, 2000);
  if (!/required|missing|undefined|mandatory|provide/i.test(text)) return '';
  const zod =
    ZOD_ISSUE.exec(text)?.[1] ??
    ZOD_LINE.exec(text)
      ?.slice(1)
      .find((name) => name !== undefined);
  const found =
    zod ??
    MISSING_ARGUMENT_PATTERNS.map((pattern) => pattern.exec(text)?.[1]).find(
      (name) => name !== undefined && !NOT_A_NAME.test(name),
    );
  return found === undefined || NOT_A_NAME.test(found) ? '' : found.replace(/[.]+$/, '');
}
