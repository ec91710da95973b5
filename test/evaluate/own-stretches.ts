// Stretches made of the host's own tools and answers.
import type { Dice } from './dice.ts';
import { someFaults } from './faults.ts';
import { ownCall, type Template } from './host.ts';
import { times } from './kind.ts';
import type { Answer, Label, MadeCall } from './made-call.ts';
import { passage, sentence } from './prose.ts';
import { textResult } from './render.ts';

export interface OwnKind {
  readonly name: string;
  readonly label: Label;
  readonly because: string;
  readonly make: (template: Template, dice: Dice) => MadeCall[];
}

const say = (text: string): Answer => ({ result: textResult(text) });
const fail = (text: string): Answer => ({
  result: { ...textResult(text), isError: true },
  outcome: 'tool_error',
});

const WRITES = /(?:update|cancel|modify|create|delete|book|return|exchange|add|send|write|move|close)/i;

/** The host's tool if it changes things, else one that would stand beside it: who reads wants to be told more than ok. */
function writeEach(template: Template, count: number, answer: Answer): MadeCall[] {
  const tool = WRITES.test(template.tool)
    ? template.tool
    : `archive_${template.tool.replace(/^[a-z]+_/, '')}`;
  return walk(template, count, () => answer).map((made) => ({ ...made, tool, role: 'write' }));
}

/** One call for each of several things. */
function walk(template: Template, count: number, answerAs?: (at: number) => Answer): MadeCall[] {
  return template
    .draw(count)
    .map(({ args, answer }, at) => ownCall(template, args, answerAs?.(at) ?? answer));
}

const CLEAN: readonly Omit<OwnKind, 'label'>[] = [
  {
    name: 'own-batch',
    because: 'one tool, another thing each time, an answer of its own each time',
    make: (template, dice) => walk(template, dice.between(7, 20)),
  },
  {
    name: 'own-batch-ok',
    because: 'one tool, another thing each time; a word says that it is done',
    make: (template, dice) => {
      const text = dice.pick(['ok', 'done', 'true', '{"success":true}']);
      return writeEach(template, dice.between(7, 20), say(text));
    },
  },
  {
    name: 'own-batch-verbose',
    because: 'one tool, another thing each time; one long sentence says that it is done',
    make: (template, dice) => {
      const text = `Your request was carried out. ${passage(dice, dice.between(200, 700))}`;
      return writeEach(template, dice.between(7, 16), say(text));
    },
  },
  {
    name: 'own-list-twice',
    because: 'a list is gone over a second time',
    make: (template, dice) => {
      const lap = walk(template, dice.between(6, 12));
      return [...lap, ...lap];
    },
  },
  {
    name: 'own-retries',
    because: 'each request fails for a moment and then succeeds',
    make: (template, dice) => {
      const failure = fail(dice.pick(['503 Service Unavailable', 'Timed out after 30 s', 'ECONNRESET']));
      return walk(template, dice.between(3, 5)).flatMap((made) => [
        ...times(dice.between(2, 3), () => ({ ...made, ...failure })),
        { ...made, outcome: 'ok' as const },
      ]);
    },
  },
  {
    name: 'own-fan-out',
    because: 'many things are asked for at once, and some are not there',
    make: (template, dice) =>
      walk(template, dice.between(7, 14)).map((made, at) => ({
        ...made,
        ...(dice.chance(0.4) && say('[]')),
        beside: at > 0,
      })),
  },
  {
    name: 'own-empty-round',
    because: 'another thing is asked for each time, and of each it is learnt that there is nothing',
    make: (template, dice) => walk(template, dice.between(8, 16), () => say('[]')),
  },
  {
    name: 'own-refused-differently',
    because: 'each refusal says something else',
    make: (template, dice) => {
      const faults = someFaults(dice, dice.between(6, 10));
      return walk(template, faults.length, (at) => fail(`${faults[at]?.name}: ${faults[at]?.message}`));
    },
  },
  {
    name: 'own-poll',
    because: 'it is on its way, is asked about a few times, and comes',
    make: (template, dice) => {
      const [made] = walk(template, 1);
      if (made === undefined) return [];
      const waiting = say(JSON.stringify({ status: dice.pick(['pending', 'queued', 'in_progress']) }));
      const polls = times(dice.between(4, 8), () => ({ ...made, ...waiting, after: dice.amount(2, 45) }));
      return [...polls, made];
    },
  },
];

const LOOPS: readonly Omit<OwnKind, 'label'>[] = [
  {
    name: 'own-identical',
    because: 'one request, one answer, again and again',
    make: (template, dice) => walk(template, 1).flatMap((made) => times(dice.between(5, 10), () => made)),
  },
  {
    name: 'own-cycle',
    because: 'a few requests in the same order, round after round',
    make: (template, dice) => {
      const round = walk(template, dice.between(2, 6));
      return times(dice.between(4, 6), () => round).flat();
    },
  },
  {
    name: 'own-nonce',
    because: 'one request; only its reason is put in other words',
    make: (template, dice) =>
      walk(template, 1).flatMap((made) =>
        times(dice.between(5, 10), () => ({
          ...made,
          arguments: { ...made.arguments, explanation: sentence(dice, 9) },
        })),
      ),
  },
  {
    name: 'own-guesses',
    because: 'ids are made up one after another, and none exists',
    make: (template, dice) => walk(template, dice.between(7, 12), () => fail('404: not found')),
  },
];

export const OWN_KINDS: readonly OwnKind[] = [
  ...CLEAN.map((kind) => ({ ...kind, label: 'clean' as const })),
  ...LOOPS.map((kind) => ({ ...kind, label: 'loop' as const })),
];
