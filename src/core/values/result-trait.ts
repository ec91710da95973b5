// What kind of answer a result is, as far as a fixed list of words tells: nothing was found, something goes on, something was
// done. One word from a fixed list, never one of the result's.

import type { ResultTrait } from '../model/tool-call.ts';
import { isRecord } from './is-record.ts';

/** A sentence: the same word further down a page is about something else. */
const MAX_SENTENCE_LENGTH = 200;
/** UTF-16 units; what says one of these and no more is short. */
const MAX_SHORT_LENGTH = 600;
/** A status stands among other fields, or as a cell in a table. */
const MAX_MEDIUM_LENGTH = 4096;
const HEAD_LENGTH = 4096;
const TAIL_LENGTH = 4096;

const EMPTY_VALUE = /^\s*(?:\[\s*\]|\{\s*\}|null|none|undefined|nil|0|""|''|n\/a|\(?0 rows?\)?\.?)?\s*$/i;
const EMPTY_SENTENCE =
  /^\W{0,4}(?:(?:sorry,? |there (?:are|is|were) |i |we |your (?:search|query) )?(?:found |returned |did not (?:match|return) |matched )?(?:no|0|zero|nothing|any)\b[^\n]{0,120}\b(?:found|results?|match(?:es|ed|ing)?|records?|rows?|entries|items?|documents?|available|returned|data|exist)|(?:no|nothing) (?:new|more|further)\b|(?:nothing|none|not?(?:hing)?) (?:was |were )?(?:found|matched|to show))\b[^\n]{0,120}$/i;
const COUNT_NAME =
  /^(?:total|count|found|hits|num|size|length|matches)(?:_?(?:count|results|items|hits|rows|found))?$/i;

const ONGOING =
  '(?:pending|queued|in[_ -]?progress|running|processing|building|deploying|provisioning|initiali[sz]ing|waiting|syncing|uploading|importing|rendering|not[_ -]?ready|rolling[_ -]?out|containercreating|podinitializing)';
const STATUS_PENDING = new RegExp(
  `\\b(?:status|state|conclusion|progress_?state|job_?status|stage)\\b["'*]{0,3}\\s{0,4}[:=|]?\\s{0,4}["'*]{0,3}${ONGOING}\\b`,
  'i',
);
const FIELD_PENDING =
  /"(?:ready|is_?ready|done|is_?done|completed?|is_?complete|finished|is_?finished)"\s{0,4}:\s{0,4}(?:false|0)\b/i;
/** In a table `running` or `RUNNING` is a job on its way, and `Running` a pod as it should be. */
const CELL_PENDING = new RegExp(
  `\\b(?:ContainerCreating|PodInitializing|Terminating|Init:\\d+/\\d+|IN_PROGRESS|QUEUED|PENDING)\\b|(?:\\| ?| {2})(?:${ONGOING}|${ONGOING.toUpperCase()}|Pending|Queued|In [Pp]rogress|Building|Processing|Deploying)(?: ?\\|| {2}|$)`,
  'm',
);
const SENTENCE_PENDING =
  /\b(?:pending|queued|in progress|(?:is|are|still|currently|being) (?:\w+ly )?(?:running|processing|processed|building|built|waiting|working|deploying|deployed|created|provisioned|provisioning|syncing|starting)|not (?:yet )?(?:ready|finished|complete[d]?|available yet)|waiting (?:for|to)|rolling out|out of \d+ new replicas|\d{1,2} ?% (?:complete|done))\b/i;
const BARE_PENDING = new RegExp(`^\\W*(?:status\\W{1,3})?${ONGOING}\\W*$`, 'i');

/** A summary of checks of which some failed. */
const FAILING =
  /^\W{0,8}(?:\w+\W{1,3}){0,3}?[1-9]\d{0,5} (?:\w+ )?(?:failed|failing|failures?|errors?)\b|\bTests?:? +[1-9]\d{0,5} failed\b|^(?:FAIL|FAILED)\b/im;

const DONE_SENTENCE =
  /^\W{0,4}(?:(?:the |your |all |\d+ )?(?:[\w'"./-]+ ){0,4}?)?(?:ok(?:ay)?|true|done|success(?:ful(?:ly)?)?|saved|created|updated|deleted|removed|sent|written|wrote|added|moved|copied|renamed|inserted|accepted|applied|completed|clicked|pressed|typed|filled|set|posted|submitted|recorded|logged|took|taken|captured|opened|closed|selected|scrolled|hovered|navigated|waited|uploaded|downloaded|executed|slept|paused|registered|subscribed)\b/i;
const DONE_FIELD =
  /"(?:success|ok|updated|deleted|created|acknowledged|saved|done)"\s{0,4}:\s{0,4}true|"(?:status|result|message)"\s{0,4}:\s{0,4}"(?:ok|success|succeeded|done|accepted|updated|deleted|created|saved|sent)\b/i;

/**
 * The trait of an answer.
 * @param text of the result, as `toResultText` gives it
 * @param structured `structuredContent`, where there is one
 * @returns '' where none of them can be told.
 */
export function toResultTrait(text: string, structured?: unknown): ResultTrait {
  // A status stands at the head of an object or at its end; what is in between is what it is about.
  if (text.length > MAX_MEDIUM_LENGTH)
    return STATUS_PENDING.test(`${text.slice(0, HEAD_LENGTH)}\n${text.slice(-TAIL_LENGTH)}`) ? 'pending' : '';
  if (isEmpty(text, structured)) return 'empty';
  if (isPending(text)) return 'pending';
  if (FAILING.test(text.slice(0, MAX_SHORT_LENGTH))) return 'failing';
  return isDone(text) ? 'done' : '';
}

function isEmpty(text: string, structured: unknown): boolean {
  if (text.length > MAX_SHORT_LENGTH) return false;
  if (isRecord(structured) && isEmptyRecord(structured)) return true;
  if (EMPTY_VALUE.test(text)) return true;
  const first = text.trimStart()[0];
  if (first !== '{') return first !== '[' && EMPTY_SENTENCE.test(text);
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && isEmptyRecord(value);
  } catch {
    // Text and structure together, or no JSON: it says something.
    return false;
  }
}

/** A list without items, or a count of 0, and nothing beside it that is a list with items. */
function isEmptyRecord(value: Record<string, unknown>): boolean {
  const contents = Object.entries(value).map(([name, item]) => classifyField(name, item));
  return contents.includes('nothing') && !contents.includes('something');
}

function classifyField(name: string, item: unknown): 'nothing' | 'something' | 'no matter' {
  if (Array.isArray(item)) return item.length === 0 ? 'nothing' : 'something';
  if (typeof item === 'number' && COUNT_NAME.test(name)) return item === 0 ? 'nothing' : 'something';
  if (!isRecord(item)) return 'no matter';
  if (isEmptyRecord(item)) return 'nothing';
  return Object.values(item).some((inner) => typeof inner === 'object' && inner !== null)
    ? 'something'
    : 'no matter';
}

function isPending(text: string): boolean {
  if (text.length <= MAX_SENTENCE_LENGTH && (SENTENCE_PENDING.test(text) || BARE_PENDING.test(text)))
    return true;
  return (
    STATUS_PENDING.test(text) ||
    FIELD_PENDING.test(text) ||
    CELL_PENDING.test(text) ||
    hasUnfinishedCell(text)
  );
}

/** A cell of a table that counts up: `1/3`. */
function hasUnfinishedCell(text: string): boolean {
  for (const [, ready, all] of text.matchAll(/(?:^| {2})(\d{1,3})\/(\d{1,3})(?= |$)/gm))
    if (Number(ready) < Number(all)) return true;
  return false;
}

/** A short sentence that begins with what was done, a long one that begins with success, or fields that say so and no more. */
function isDone(text: string): boolean {
  if (/^\s*[{[]/.test(text))
    return (
      text.length <= MAX_SHORT_LENGTH && DONE_FIELD.test(text) && !/[[{]/.test(text.trimStart().slice(1))
    );
  if (text.length > MAX_SHORT_LENGTH)
    return (
      text.length <= MAX_VERBOSE_LENGTH &&
      /\bsuccess(?:ful(?:ly)?)?\b/i.test(text.slice(0, SUCCESS_HEAD_LENGTH))
    );
  return DONE_SENTENCE.test(text.slice(0, 160));
}

/** UTF-16 units of a sentence with which a server says at length that it has done what it was asked. */
const MAX_VERBOSE_LENGTH = 2000;
const SUCCESS_HEAD_LENGTH = 80;
