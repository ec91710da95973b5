// Rules about what a definition does not say and calls show: a precondition (TD033), an error that is final, or tells how long to wait, and is repeated
// all the same (TD034), an idempotency key that makes no difference (TD036).

import { stem } from '../description-words.ts';
import type { Observation } from '../finding.ts';
import { formatNounCount, formatShareOf } from '../format-counts.ts';
import { nameWords, wordSet } from '../name-words.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import {
  collectToolErrors,
  evidenceCallsOf,
  MIN_FAILURES,
  MIN_SESSIONS,
  messagesOf,
  sumOf,
} from '../tool-errors.ts';
import type { FailureEvidence } from '../tool-evidence.ts';

const MIN_PRECONDITION_CALLS = 10;
const MIN_PRECONDITION_SHARE = 0.25;
/** Words of a code that name no state that a caller could provide for. */
const EMPTY_WORDS = wordSet(
  'error err failed failure fail not no found exist exists is was be in of for the to a code invalid unknown bad missing cannot could unable',
);
/** Codes of what no caller can provide for, and of the value of an argument. */
const OUTAGE_CODE =
  /^(?:-?\d+|HTTP_\d+)$|TIMEOUT|TIMED_OUT|INTERNAL|UNAVAILABLE|UPSTREAM|NETWORK|UNEXPECTED|^ECONN|^EAI_|^EPIPE|[a-z](?:Error|Exception)$|RATE_?LIMIT|TOO_(?:MANY|LARGE|LONG|SMALL|SHORT|BIG)|OUT_OF_RANGE|EXCEED|QUOTA|^INVALID|VALIDATION|MALFORMED/;

export const unstatedPrecondition: TrafficRule = {
  id: 'TD033',
  level: 'warning',
  title: 'Precondition not stated',
  condition: `One code of the tool's own is in at least ${MIN_PRECONDITION_CALLS} calls, ${100 * MIN_PRECONDITION_SHARE} % of all, in ${MIN_SESSIONS} sessions, and the description has no word of it; not codes of an outage, a limit or an argument.`,
  disprovedBy: 'No caller can know before the call whether it applies.',
  check: (traffic) => {
    // An error that names an argument is about its value.
    const groups = collectToolErrors(traffic.evidence).groups.filter(({ argument }) => argument === '');
    const codes = new Set(groups.filter(({ withCode }) => withCode > 0).map(({ code }) => code));
    return [...codes].flatMap((code) =>
      checkPrecondition(
        traffic,
        groups.filter((group) => group.code === code),
      ),
    );
  },
};

function checkPrecondition(
  { evidence, definition }: ToolTraffic,
  groups: readonly FailureEvidence[],
): Observation[] {
  const { tool, calls } = evidence;
  const code = groups[0]?.code ?? '';
  const failed = sumOf(groups, (group) => group.calls);
  // Groups may share sessions, so only the largest is certain.
  const sessions = Math.max(0, ...groups.map((group) => group.sessions));
  if (failed < MIN_PRECONDITION_CALLS || failed < MIN_PRECONDITION_SHARE * calls) return [];
  if (sessions < MIN_SESSIONS || definition === undefined || OUTAGE_CODE.test(code)) return [];
  const words = listStateWords(code, tool);
  const { description = '' } = definition;
  const said = new Set(nameWords(description).map(stem));
  if (words.length === 0 || words.some((word) => said.has(stem(word)))) return [];
  return [
    {
      tool,
      finding: `${formatShareOf(failed, calls)} of "${tool}" failed with ${code} in ${formatNounCount(sessions, 'session')}, and the description does not say when that happens.`,
      counts: { calls, failed, sessions },
      names: { codes: [code], messages: messagesOf(groups) },
      calls: evidenceCallsOf(evidence, groups),
      suggestion:
        'Say in the description what has to be true before the call, and which tool provides for it.',
      edits: [
        {
          tool,
          pointer: '/description',
          ...(description !== '' && { before: description }),
          after:
            `${description.trim().replace(/([^.])$/, '$1.')} Fails with ${code} if <…>; call <tool> first.`.trim(),
        },
      ],
      callsLost: Math.max(0, failed - sumOf(groups, ({ next }) => next.recovered)),
    },
  ];
}

/** `locked` of `NOTE_LOCKED` and `get_note`. */
function listStateWords(code: string, tool: string): string[] {
  const own = new Set(nameWords(tool).map(stem));
  return nameWords(code).filter((word) => !EMPTY_WORDS.has(word) && !own.has(stem(word)));
}

export const finalErrorRepeated: TrafficRule = {
  id: 'TD034',
  level: 'warning',
  title: 'Final or timed error repeated',
  condition: `At least ${MIN_FAILURES} times a call was sent again although its error spoke against it: at once after \`retryable: false\`, or before the time that \`retry_after\` tells.`,
  disprovedBy: 'Another client repeats every failed call, whatever the answer says.',
  check: ({ evidence }): Observation[] => {
    const { groups } = collectToolErrors(evidence);
    // What followed is known of a group; only where all its errors are final did each repeat follow a final one.
    const final = groups.filter(({ withFinal = 0, calls }) => withFinal === calls && calls > 0);
    const timed = groups.filter((group) => !final.includes(group) && (group.tooEarly ?? 0) > 0);
    const repeated = sumOf(final, ({ next }) => next.sameCall);
    const early = sumOf(timed, ({ tooEarly = 0 }) => tooEarly);
    if (repeated + early < MIN_FAILURES) return [];
    const ignored = [...(repeated > 0 ? final : []), ...timed];
    return [
      {
        tool: evidence.tool,
        finding: describeIgnoredErrors(evidence.tool, { final, timed, repeated, early }),
        counts: { errors: sumOf(ignored, ({ calls }) => calls), repeated, early },
        names: { codes: [...new Set(ignored.map(({ code }) => code))], messages: messagesOf(ignored) },
        calls: evidenceCallsOf(evidence, ignored),
        suggestion: suggestWording({ repeated, early }),
        callsLost: repeated + early,
      },
    ];
  },
};

interface IgnoredErrors {
  readonly final: readonly FailureEvidence[];
  readonly timed: readonly FailureEvidence[];
  readonly repeated: number;
  readonly early: number;
}

function describeIgnoredErrors(tool: string, { final, timed, repeated, early }: IgnoredErrors): string {
  const errors = sumOf(final, ({ calls }) => calls);
  const told = sumOf(timed, ({ withRetryAfter = 0 }) => withRetryAfter);
  const sentences = [
    repeated > 0 &&
      `After ${formatNounCount(errors, 'error')} of "${tool}" with \`retryable: false\` the same call was sent again ${formatNounCount(repeated, 'time')}: agents do not read the field.`,
    early > 0 &&
      `After ${formatNounCount(told, 'error')} of "${tool}" with \`retry_after\` it was called again ${formatNounCount(early, 'time')} before that time: agents do not wait.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(' ');
}

function suggestWording({ repeated, early }: Pick<IgnoredErrors, 'repeated' | 'early'>): string {
  const final = 'Say it first in the text, in words ("Do not repeat this call; …"), with what to do instead.';
  const timed =
    'Say in the text how long to wait and what to do in the meantime, or wait in the tool where it takes only seconds.';
  return [repeated > 0 ? final : '', early > 0 ? timed : ''].filter((part) => part !== '').join(' ');
}

export const idempotencyKeyIgnored: TrafficRule = {
  id: 'TD036',
  level: 'warning',
  title: 'Idempotency key not honoured',
  condition: `At least ${MIN_FAILURES} successful calls repeated an idempotency key with the same arguments and got another result.`,
  disprovedBy: 'The results differ only in a time, or in a mark that says it is a repeat.',
  check: ({ evidence: { tool, keyReuse } }): Observation[] => {
    const { repeated, different } = keyReuse ?? { repeated: 0, different: 0 };
    if (different < MIN_FAILURES) return [];
    return [
      {
        tool,
        finding: `${formatShareOf(different, repeated)} of "${tool}" that repeated an idempotency key got another result than the first call.`,
        counts: { repeated, different },
        calls: { tool },
        suggestion: 'Answer a repeated key with the result of the first call, and do nothing.',
        callsLost: different,
      },
    ];
  },
};
