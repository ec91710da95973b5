/** The result of a generator whose steps the caller does not need. */
export function runToCompletion<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
