// Why an action failed, announced to screen readers when it appears.

export function ProblemText({ problem }: { readonly problem: string | undefined }) {
  if (problem === undefined) return null;
  return (
    <p className="problem" role="alert">
      {problem}
    </p>
  );
}
