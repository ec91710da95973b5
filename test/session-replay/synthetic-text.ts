// Texts made to measure: a recorded answer is known by its fingerprints, its similarity and its size only, and a server
// that is to give it again needs words. What is made reduces to the recorded equalities and, bit for bit, to the
// recorded similarity, so that two answers are as far apart as they were.
import type { Fingerprinter } from '../../src/core/values/fingerprint.ts';

/** What is known of one answer. */
export interface ResultProfile {
  /** Differs where anything differs. */
  readonly exact: string;
  /** Differs where more than times and ids differ. */
  readonly masked: string;
  /** 16 hex digits. */
  readonly similarity: string;
  /** Of the text. */
  readonly bytes: number;
  /** Claims success and says that it failed. */
  readonly softError: boolean;
  /** An error whose words are all there is to tell it from others; else its words say no more than its code. */
  readonly speaks: boolean;
}

const LETTERS = 'bcdfghjklmnpqrstvwxz';
/** Words that no vocabulary knows, so a template says `<word>` of any number of them. */
const UNKNOWN_WORDS = Array.from({ length: 96 }, (_, at) => `z${spell(at, 2)}`);
/** Words that a template keeps. */
const VOCABULARY_WORDS =
  'account archive branch bucket cache channel chunk column commit cookie customer cycle device directory domain driver editor element engine event'.split(
    ' ',
  );
/** Below it no similarity is looked at. */
const MIN_COMPARED_BYTES = 140;
const MAX_WORDS = 64;
/** Longer texts are read at both ends; what is left out is told between them. */
const EXCERPT_BYTES = 4096;

/**
 * Makes the texts of one session.
 * @param measures of all its answers, because the first of two that differ in an id only has to have one too
 * @returns one text per `exact`
 */
export type SynthesizeTexts = (measures: readonly ResultProfile[]) => ReadonlyMap<string, string>;

/** What it learns of words it keeps for the next session. */
export function createTextSynthesizer(fingerprinter: Fingerprinter): SynthesizeTexts {
  const pairs = createPairVotes(fingerprinter);
  return (measures) => synthesizeTexts(measures, pairs);
}

function synthesizeTexts(measures: readonly ResultProfile[], pairs: PairVotes): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const kinds = new Map<string, Map<string, ResultProfile>>();
  for (const measure of measures) {
    const kin = kinds.get(measure.masked) ?? new Map<string, ResultProfile>();
    kinds.set(measure.masked, kin.set(measure.exact, measure));
  }
  for (const [place, kin] of [...kinds.values()].entries()) {
    const bytes = Math.min(...[...kin.values()].map((measure) => measure.bytes));
    const [first] = kin.values();
    if (first === undefined) continue;
    const text = composeText({ ...first, bytes }, place, { pairs, id: kin.size > 1 ? ID : '' });
    for (const [exact, measure] of kin)
      texts.set(exact, text.replace(ID, ID.slice(0, -3) + spellId(texts.size, 3 + measure.bytes - bytes)));
  }
  return texts;
}

/** Masked, so that answers of one kind can differ in it. */
const ID = 'a0000000';
/** A longer one would not be taken for an id. */
const MAX_ID_LENGTH = 128;

function spellId(number: number, digits: number): string {
  return String(number).padStart(Math.min(digits, MAX_ID_LENGTH - ID.length), '0');
}

function composeText(
  { similarity, bytes, softError, speaks }: ResultProfile,
  place: number,
  { pairs, id }: { readonly pairs: PairVotes; readonly id: string },
): string {
  if (bytes === 0 && id === '') return '';
  const head = [
    softError ? 'Error:' : '',
    ...(speaks
      ? [
          VOCABULARY_WORDS[place % VOCABULARY_WORDS.length] ?? '',
          VOCABULARY_WORDS[Math.floor(place / VOCABULARY_WORDS.length)] ?? '',
        ]
      : []),
    `q${spell(place, 3)}`,
    id,
  ].filter((word) => word !== '');
  const start = head.join(' ');
  if (bytes < MIN_COMPARED_BYTES) return start.padEnd(bytes);
  const left = bytes - 2 * EXCERPT_BYTES;
  const chain = findChain(similarity, {
    before: head.map((word) => (word === id ? 'hex' : word.replace(':', ''))),
    after: left > 0 ? [String(left), 'more'] : [],
    words: Math.min(MAX_WORDS, Math.floor((bytes - start.length) / 4)),
    pairs,
  });
  return `${start} ${chain.join(' ')}`.padEnd(bytes);
}

function spell(number: number, letters: number): string {
  let text = '';
  for (let rest = number, at = 0; at < letters; at++, rest = Math.floor(rest / LETTERS.length))
    text += LETTERS[rest % LETTERS.length];
  return text;
}

/** How each pair of words votes on the 64 bits: +1 or -1. */
type PairVotes = (first: string, second: string) => Int8Array;

function createPairVotes({ similarityHash }: Fingerprinter): PairVotes {
  const known = new Map<string, Map<string, Int8Array>>();
  return (first, second) => {
    const ofFirst = known.get(first) ?? new Map<string, Int8Array>();
    known.set(first, ofFirst);
    const votes = ofFirst.get(second) ?? toSigns(similarityHash(`${first} ${second}`));
    ofFirst.set(second, votes);
    return votes;
  };
}

function toSigns(bits: string): Int8Array {
  const number = BigInt(`0x${bits}`);
  return Int8Array.from({ length: 64 }, (_, bit) => ((number >> BigInt(bit)) & 1n ? 1 : -1));
}

interface ChainOptions {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly words: number;
  readonly pairs: PairVotes;
}

const SWEEPS = 12;

/** Words whose pairs, with those around them, vote for exactly that similarity; or come near it, if they are few. */
function findChain(similarity: string, { before, after, words, pairs }: ChainOptions): string[] {
  const target = toSigns(similarity);
  const first = Array.from(
    { length: words },
    (_, at) => UNKNOWN_WORDS[(at * 37) % UNKNOWN_WORDS.length] ?? '',
  );
  const text = [...before, ...first, ...after];
  const votes = new Int32Array(64);
  for (let at = 1; at < text.length; at++) add(votes, pairs(text[at - 1] ?? '', text[at] ?? ''), 1);
  for (let turn = 0; turn < words * SWEEPS && countWrongBits(votes, target) > 0; turn++)
    improveWord(text, before.length + (turn % words), { votes, target, pairs });
  return text.slice(before.length, before.length + words);
}

interface WordSearch {
  readonly votes: Int32Array;
  readonly target: Int8Array;
  readonly pairs: PairVotes;
}

/** Puts the word in that place that votes best. */
function improveWord(text: string[], at: number, { votes, target, pairs }: WordSearch): void {
  const around = (word: string) => [
    ...(at > 0 ? [pairs(text[at - 1] ?? '', word)] : []),
    ...(at + 1 < text.length ? [pairs(word, text[at + 1] ?? '')] : []),
  ];
  for (const pair of around(text[at] ?? '')) add(votes, pair, -1);
  const options = UNKNOWN_WORDS.map((word) => ({ word, lack: scoreDistance(votes, target, around(word)) }));
  const best = options.reduce((a, b) => (b.lack < a.lack ? b : a));
  text[at] = best.word;
  for (const pair of around(best.word)) add(votes, pair, 1);
}

function add(votes: Int32Array, pair: Int8Array, times: number): void {
  for (let bit = 0; bit < 64; bit++) votes[bit] = (votes[bit] ?? 0) + times * (pair[bit] ?? 0);
}

/** How many bits are wrong. */
function countWrongBits(votes: Int32Array, target: Int8Array): number {
  let lack = 0;
  for (let bit = 0; bit < 64; bit++) if ((votes[bit] ?? 0) > 0 !== (target[bit] ?? 0) > 0) lack++;
  return lack;
}

/** How far the bits are from being right, with two votes to spare; squared, so that the worst are mended first. */
function scoreDistance(votes: Int32Array, target: Int8Array, pairs: readonly Int8Array[]): number {
  let lack = 0;
  for (let bit = 0; bit < 64; bit++) {
    let vote = votes[bit] ?? 0;
    for (const pair of pairs) vote += pair[bit] ?? 0;
    const short = 2 - vote * (target[bit] ?? 0);
    if (short > 0) lack += short * short;
  }
  return lack;
}
