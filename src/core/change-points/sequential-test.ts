// The Shiryaev-Roberts test of a mixture of alternatives. For each alternative, R grows by
// R = (1 + R) x likelihood ratio of the minute. Before a change R minus the number of minutes is a martingale,
// and so is the mean over the alternatives, so the mean time to a false alarm at the threshold A is at least A
// minutes, whatever the alternatives are (Shiryaev 1963; Roberts 1966; Pollak 1985; for composite levels
// Shin, Ramdas and Rinaldo 2023).
//
// Beside R, each alternative has a CUSUM (Page 1954), which locates the onset: the last minute in which its sum
// of log-likelihood ratios was zero.

/** One minute of a series. */
export interface Evidence {
  /** Epoch minute. */
  readonly minute: number;
  /** Log-likelihood ratio of each alternative. */
  readonly ratios: readonly number[];
  /** Calls, those that count (failed, slow), and how many of those are usual. */
  readonly calls: number;
  readonly hits: number;
  readonly usual: number;
}

/** What was seen since the onset of a possible change. */
export interface ChangeWindow {
  /** First minute of the change, as epoch minute. */
  readonly onset: number;
  readonly calls: number;
  readonly hits: number;
  readonly usual: number;
}

/** State of one alternative; `logR` is the logarithm of its statistic, `sum` its CUSUM. */
interface AlternativeState {
  logR: number;
  sum: number;
  onset: number;
  calls: number;
  hits: number;
  usual: number;
}

/** The state of a test; plain data. */
export interface TestState {
  readonly alternatives: AlternativeState[];
}

/** R is below this at the start: no minute has been seen. */
const NO_EVIDENCE = -50;

export function createTestState(alternatives: number): TestState {
  return { alternatives: Array.from({ length: alternatives }, createAlternative) };
}

const createAlternative = (): AlternativeState => ({
  ...{ logR: NO_EVIDENCE, sum: 0, onset: 0, calls: 0, hits: 0, usual: 0 },
});

export function resetTest(state: TestState): void {
  for (const alternative of state.alternatives) Object.assign(alternative, createAlternative());
}

/** Adds a minute with at least one call, or for a rate of calls, any minute. */
export function addEvidence({ alternatives }: TestState, evidence: Evidence): void {
  for (let at = 0; at < alternatives.length; at += 1) {
    const alternative = alternatives[at];
    if (alternative) addRatio(alternative, evidence, evidence.ratios[at] ?? 0);
  }
}

function addRatio(state: AlternativeState, { minute, calls, hits, usual }: Evidence, ratio: number): void {
  state.logR = logOnePlusExp(state.logR) + ratio;
  const sum = state.sum + ratio;
  if (sum <= 0) {
    if (state.sum > 0) state.calls = state.hits = state.usual = 0;
    state.sum = 0;
    return;
  }
  if (state.sum === 0) state.onset = minute;
  state.sum = sum;
  state.calls += calls;
  state.hits += hits;
  state.usual += usual;
}

/** Logarithm of the mean statistic. */
function toLogStatistic({ alternatives }: TestState): number {
  let top = Number.NEGATIVE_INFINITY;
  for (const { logR } of alternatives) if (logR > top) top = logR;
  let sum = 0;
  for (const { logR } of alternatives) sum += Math.exp(logR - top);
  return top + Math.log(sum / alternatives.length);
}

/** Whether the mean statistic reaches a threshold. */
export function reaches(state: TestState, logThreshold: number): boolean {
  // The mean is at most the greatest, which is found without exponentials.
  return state.alternatives.some(({ logR }) => logR >= logThreshold) && toLogStatistic(state) >= logThreshold;
}

/** What was seen since the onset that the most likely alternative gives; undefined while none is likely. */
export function toChangeWindow({ alternatives }: TestState): ChangeWindow | undefined {
  let best: AlternativeState | undefined;
  for (const alternative of alternatives) if (alternative.sum > (best?.sum ?? 0)) best = alternative;
  return best && { onset: best.onset, calls: best.calls, hits: best.hits, usual: best.usual };
}

/** Whether no alternative has evidence. */
export const isAtRest = ({ alternatives }: TestState): boolean => alternatives.every(({ sum }) => sum === 0);

const logOnePlusExp = (x: number): number => (x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x)));
