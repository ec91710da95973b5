// What an attack is: a bounded program against a whole host, `toolscope wrap` or a whole service on loopback, and what was
// seen. An attack stands in `<subject>.attack.ts`, which exports `attacks`.

/** `short` is what the suite runs (seconds); `full` is what `npm run attack` runs (at most two minutes an attack). */
export type AttackSize = 'short' | 'full';

export type AttackReport = {
  /** What did not hold, one sentence each; empty where the attack was withstood. */
  readonly broken: readonly string[];
  /** What was measured, with the unit in the key. */
  readonly figures: Readonly<Record<string, number | string>>;
};

export type Attack = {
  /** A sentence that says what holds: "a host of 256 MB lives through results of 200 kB". */
  readonly title: string;
  /** Sizes that this attack is worth running in; both unless given. */
  readonly sizes?: readonly AttackSize[];
  readonly run: (size: AttackSize) => Promise<AttackReport>;
};
