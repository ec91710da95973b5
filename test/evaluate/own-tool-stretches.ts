// Stretches made of the host's own tools and answers.

import { passage, sentence } from './prose.ts';
import { textResult } from './render.ts';
import { sampleRequestErrors } from './request-errors.ts';
import type { SeededRandom } from './seeded-random.ts';
import { repeatMake } from './stretch-kind.ts';
import type { SessionLabel, SyntheticCall, SyntheticResult } from './synthetic-call.ts';
import { type CallTemplate, callFromTemplate } from './target-session.ts';

export interface OwnToolKind {
  readonly name: string;
  readonly label: SessionLabel;
  readonly because: string;
  readonly make: (template: CallTemplate, dice: SeededRandom) => SyntheticCall[];
}

const okResult = (text: string): SyntheticResult => ({ result: textResult(text) });
const errorResult = (text: string): SyntheticResult => ({
  result: { ...textResult(text), isError: true },
  outcome: 'tool_error',
});

const WRITES = /(?:update|cancel|modify|create|delete|book|return|exchange|add|send|write|move|close)/i;

/** The host's tool if it changes things, else one that would stand beside it: who reads wants to be told more than ok. */
function writeEach(template: CallTemplate, count: number, answer: SyntheticResult): SyntheticCall[] {
  const tool = WRITES.test(template.tool)
    ? template.tool
    : `archive_${template.tool.replace(/^[a-z]+_/, '')}`;
  return callEach(template, count, () => answer).map((made) => ({ ...made, tool, role: 'write' }));
}

/** One call for each of several things. */
function callEach(
  template: CallTemplate,
  count: number,
  answerAs?: (at: number) => SyntheticResult,
): SyntheticCall[] {
  return template
    .draw(count)
    .map(({ args, answer }, at) => callFromTemplate(template, args, answerAs?.(at) ?? answer));
}

const CLEAN_KINDS_OF_OWN_TOOLS: readonly Omit<OwnToolKind, 'label'>[] = [
  {
    name: 'own-batch',
    because: 'one tool, another thing each time, an answer of its own each time',
    make: (template, dice) => callEach(template, dice.between(7, 20)),
  },
  {
    name: 'own-batch-ok',
    because: 'one tool, another thing each time; a word says that it is done',
    make: (template, dice) => {
      const text = dice.pick(['ok', 'done', 'true', '{"success":true}']);
      return writeEach(template, dice.between(7, 20), okResult(text));
    },
  },
  {
    name: 'own-batch-verbose',
    because: 'one tool, another thing each time; one long sentence says that it is done',
    make: (template, dice) => {
      const text = `Your request was carried out. ${passage(dice, dice.between(200, 700))}`;
      return writeEach(template, dice.between(7, 16), okResult(text));
    },
  },
  {
    name: 'own-list-twice',
    because: 'a list is gone over a second time',
    make: (template, dice) => {
      const lap = callEach(template, dice.between(6, 12));
      return [...lap, ...lap];
    },
  },
  {
    name: 'own-retries',
    because: 'each request fails for a moment and then succeeds',
    make: (template, dice) => {
      const failure = errorResult(
        dice.pick(['503 Service Unavailable', 'Timed out after 30 s', 'ECONNRESET']),
      );
      return callEach(template, dice.between(3, 5)).flatMap((made) => [
        ...repeatMake(dice.between(2, 3), () => ({ ...made, ...failure })),
        { ...made, outcome: 'ok' as const },
      ]);
    },
  },
  {
    name: 'own-fan-out',
    because: 'many things are asked for at once, and some are not there',
    make: (template, dice) =>
      callEach(template, dice.between(7, 14)).map((made, at) => ({
        ...made,
        ...(dice.chance(0.4) && okResult('[]')),
        beside: at > 0,
      })),
  },
  {
    name: 'own-empty-round',
    because: 'another thing is asked for each time, and of each it is learnt that there is nothing',
    make: (template, dice) => callEach(template, dice.between(8, 16), () => okResult('[]')),
  },
  {
    name: 'own-refused-differently',
    because: 'each refusal says something else',
    make: (template, dice) => {
      const faults = sampleRequestErrors(dice, dice.between(6, 10));
      return callEach(template, faults.length, (at) =>
        errorResult(`${faults[at]?.name}: ${faults[at]?.message}`),
      );
    },
  },
  {
    name: 'own-poll',
    because: 'it is on its way, is asked about a few times, and comes',
    make: (template, dice) => {
      const [made] = callEach(template, 1);
      if (made === undefined) return [];
      const waiting = okResult(JSON.stringify({ status: dice.pick(['pending', 'queued', 'in_progress']) }));
      const polls = repeatMake(dice.between(4, 8), () => ({
        ...made,
        ...waiting,
        after: dice.amount(2, 45),
      }));
      return [...polls, made];
    },
  },
];

const LOOP_KINDS_OF_OWN_TOOLS: readonly Omit<OwnToolKind, 'label'>[] = [
  {
    name: 'own-identical',
    because: 'one request, one answer, again and again',
    make: (template, dice) =>
      callEach(template, 1).flatMap((made) => repeatMake(dice.between(5, 10), () => made)),
  },
  {
    name: 'own-cycle',
    because: 'a few requests in the same order, round after round',
    make: (template, dice) => {
      const round = callEach(template, dice.between(2, 6));
      return repeatMake(dice.between(4, 6), () => round).flat();
    },
  },
  {
    name: 'own-nonce',
    because: 'one request; only its reason is put in other words',
    make: (template, dice) =>
      callEach(template, 1).flatMap((made) =>
        repeatMake(dice.between(5, 10), () => ({
          ...made,
          arguments: { ...made.arguments, explanation: sentence(dice, 9) },
        })),
      ),
  },
  {
    name: 'own-guesses',
    because: 'ids are made up one after another, and none exists',
    make: (template, dice) => callEach(template, dice.between(7, 12), () => errorResult('404: not found')),
  },
];

export const OWN_TOOL_KINDS: readonly OwnToolKind[] = [
  ...CLEAN_KINDS_OF_OWN_TOOLS.map((kind) => ({ ...kind, label: 'clean' as const })),
  ...LOOP_KINDS_OF_OWN_TOOLS.map((kind) => ({ ...kind, label: 'loop' as const })),
];
