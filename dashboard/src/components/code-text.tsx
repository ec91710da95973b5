// Renders a sentence with names in backticks, as the rules contain them: the names are rendered as code.

export function CodeText({ text }: { readonly text: string }) {
  // Because of the capture group, every second part is a match.
  return text.split(/`([^`]+)`/).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other key and never move
    at % 2 === 0 ? part : <code key={at}>{part}</code>,
  );
}
