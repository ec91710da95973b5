// A sentence in which names stand between backticks, as the rules write them: on a screen those are set as code.

export function CodeText({ text }: { readonly text: string }) {
  // With its group, the pattern leaves what it finds at every second place.
  return text.split(/`([^`]+)`/).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sentence have no other name, and never move
    at % 2 === 0 ? part : <code key={at}>{part}</code>,
  );
}
