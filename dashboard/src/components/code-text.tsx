// A sentence in which names stand between backticks, as the rules write them: on a screen those are set as code.

export function CodeText({ text }: { readonly text: string }) {
  // With its group, the pattern leaves what it finds at every second place; a part has no name but its place.
  return text
    .split(/`([^`]+)`/)
    .map((part, at) => (at % 2 === 0 ? part : <code key={`${at}-${part}`}>{part}</code>));
}
