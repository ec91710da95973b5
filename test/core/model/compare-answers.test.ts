// Whether two calls had the same answer: a table of pairs, each with the reason.
import { expect, test } from 'vitest';
import { type AnswerFields, compareAnswers, toAnswer } from '../../../src/core/model/compare-answers.ts';

const OK: AnswerFields = {
  outcome: 'ok',
  errorInResult: false,
  errorCode: '',
  errorMessage: '',
  errorFingerprint: '',
  fingerprintKeyId: 'k1',
  resultFingerprint: 'a1a1a1a1a1a1a1a1',
  resultMaskedFingerprint: 'b1b1b1b1b1b1b1b1',
  resultSimilarity: 'ffffffff00000000',
  resultLines: 0,
  resultBytes: 80,
};
const UNKNOWN = { resultFingerprint: '', resultMaskedFingerprint: '' };
const OTHER = { resultFingerprint: 'a2a2a2a2a2a2a2a2', resultMaskedFingerprint: 'b2b2b2b2b2b2b2b2' };
const LONG = { resultBytes: 900 };
const FAILED = { outcome: 'tool_error', errorCode: 'HTTP_502', errorMessage: 'bad gateway' } as const;
const WITHOUT_CAUSE = { ...FAILED, errorCode: 'tool_error', errorMessage: '' };

type Fields = Partial<AnswerFields>;

test.each<[Fields, Fields, string, string]>([
  [{}, {}, 'equal', 'both fingerprints are equal'],
  [{}, { resultFingerprint: 'a2a2a2a2a2a2a2a2' }, 'masked', 'only times and request ids differ'],
  [{}, OTHER, 'different', 'a short answer has no noise'],
  [LONG, { ...LONG, ...OTHER, resultSimilarity: 'fffffff000000000' }, 'noisy', '4 of 64 bits differ'],
  [LONG, { ...LONG, ...OTHER, resultSimilarity: '00000000ffffffff' }, 'different', 'no word is the same'],
  [
    { ...LONG, resultLines: 9 },
    { ...LONG, ...OTHER, resultLines: 9 },
    'different',
    'of several lines one may be new',
  ],
  [UNKNOWN, {}, 'unknown', 'one result was not captured'],
  [UNKNOWN, UNKNOWN, 'unknown', 'unknown values are not equal'],
  [{ resultFingerprint: '0000000000000000', resultMaskedFingerprint: '' }, {}, 'unknown', 'zero is none'],
  [{}, { fingerprintKeyId: 'k2' }, 'incomparable', 'the keys differ'],
  [{}, FAILED, 'different', 'only one of them failed'],
  [{}, { ...UNKNOWN, outcome: 'cancelled' }, 'different', 'one was cancelled'],
  [{ ...UNKNOWN, outcome: 'cancelled' }, { ...UNKNOWN, outcome: 'cancelled' }, 'unknown', 'neither answered'],
  [FAILED, { ...FAILED, ...OTHER }, 'failure', 'the message is the same'],
  [FAILED, { ...FAILED, ...OTHER, errorMessage: 'too late' }, 'different', 'the message is another one'],
  [FAILED, { ...FAILED, ...OTHER, errorCode: 'HTTP_503' }, 'different', 'the code is another one'],
  [FAILED, { ...FAILED, ...OTHER, outcome: 'exception' }, 'failure', 'the outcome names no cause'],
  [FAILED, { ...FAILED, ...OTHER, fingerprintKeyId: 'k2' }, 'failure', 'messages need no key'],
  [
    { ...FAILED, errorMessage: 'no file "a"' },
    { ...FAILED, ...OTHER, errorMessage: 'no file "b"' },
    'failure',
    'quoted values are left out',
  ],
  [
    { ...FAILED, errorFingerprint: 'c1c1c1c1c1c1c1c1' },
    { ...FAILED, ...OTHER, errorFingerprint: 'c2c2c2c2c2c2c2c2' },
    'different',
    'the whole messages differ, though the templates are equal',
  ],
  [
    { ...FAILED, ...LONG, resultLines: 9 },
    { ...FAILED, ...LONG, ...OTHER, resultLines: 9 },
    'different',
    'a long text that differs is new information under the same heading',
  ],
  [
    { ...WITHOUT_CAUSE, ...UNKNOWN },
    { ...WITHOUT_CAUSE, ...UNKNOWN },
    'unknown',
    'the code names no cause, and nothing else is known',
  ],
  [WITHOUT_CAUSE, { ...WITHOUT_CAUSE, ...OTHER }, 'different', 'the results are known to differ'],
  [
    { ...FAILED, ...UNKNOWN, errorMessage: '' },
    { ...FAILED, ...UNKNOWN, errorMessage: '' },
    'failure',
    'the code names the cause',
  ],
])('comparing the results %j and %j gives %s: %s', (a, b, expected) => {
  const [one, other] = [toAnswer({ ...OK, ...a }), toAnswer({ ...OK, ...b })];
  expect(compareAnswers(one, other)).toBe(expected);
  expect(compareAnswers(other, one)).toBe(expected);
});
