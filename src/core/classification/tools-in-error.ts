// Names of tools in the text of an error: "use `list_notes` instead". They are the server's own words.

/** Enough of any error; the rest quotes what was sent. */
const MAX_TEXT_LENGTH = 4096;
const MAX_TOOLS = 3;
/** UTF-16 units of the joined names, the limit of an attribute that names something. */
const MAX_LENGTH = 64;

/** A name in quotes, or one that cannot be an ordinary word: `list_notes`, `listNotes`. */
const NAMES = /["'`“]([\w.-]{1,64})["'`”]|\b([A-Za-z]\w*(?:[_.-]\w+)+|[a-z]+(?:[A-Z]\w*)+)\b/g;

/**
 * Tools named by an error, joined by `+`; empty without any.
 * @param isTool whether a name is another listed tool
 */
export function findToolsInError(text: string, isTool: (name: string) => boolean): string {
  const names = [...text.slice(0, MAX_TEXT_LENGTH).matchAll(NAMES)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  );
  let joined = '';
  for (const name of [...new Set(names)].filter(isTool).slice(0, MAX_TOOLS)) {
    const longer = joined === '' ? name : `${joined}+${name}`;
    if (longer.length <= MAX_LENGTH) joined = longer;
  }
  return joined;
}
