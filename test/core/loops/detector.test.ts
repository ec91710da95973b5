import { describe, expect, test } from 'vitest';
import { createDetector, detectLoops } from '../../../src/core/loops/detector.ts';
import type { LoopFinding, SessionVerdict } from '../../../src/core/loops/finding.ts';
import type { ThresholdTable } from '../../../src/core/loops/thresholds.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';
import { type CallInput, repeatCall, seededLine, seededLines, shapeRedaction, toLoopCalls } from './calls.ts';

/** Work of which nothing repeats. */
const ordinaryCall = (count: number, from = 0): CallInput[] =>
  repeatCall(count, (at) => ({
    tool: 'read',
    args: { path: `src/${from + at}.ts` },
    text: seededLine(900 + from + at, 30),
  }));

const otherCall = (at: number): CallInput => ({ tool: 'look', args: { at }, text: seededLine(700 + at, 30) });
const onePage = seededLines(1, 12).join('\n');
const detect = (inputs: readonly CallInput[]): SessionVerdict => detectLoops(toLoopCalls(inputs));
const loopsOf = ({ findings }: SessionVerdict): LoopFinding[] =>
  findings.filter(({ severity }) => severity !== 'note');
const interleave = (a: readonly CallInput[], b: readonly CallInput[]): CallInput[] =>
  a.flatMap((said, at) => [said, b[at] ?? said]);

type LoopRow = [what: string, said: CallInput[], expected: string, because: string];
type WorkRow = [what: string, said: CallInput[], because: string];

describe('detected loops', () => {
  const search: CallInput = { args: { q: 'x' }, text: seededLine(1) };
  const rows: LoopRow[] = [
    [
      'four equal calls',
      [...ordinaryCall(3), ...repeatCall(4, search)],
      'repeat 3-6',
      'the fourth cannot bring anything new',
    ],
    [
      'five equal long answers',
      [...ordinaryCall(3), ...repeatCall(5, { args: { q: 'x' }, text: seededLine(1, 400) })],
      'repeat 3-7',
      'a long answer may have to be read again',
    ],
    [
      'the same failure four times',
      repeatCall(4, { args: { q: 'x' }, error: 'NOT_FOUND', text: 'no x here' }),
      'repeat 0-3',
      'an error is an answer too',
    ],
    [
      'new request ids around one request',
      repeatCall(4, (at) => ({
        args: { q: 'x', request_id: `r-${at}-${seededLine(at, 2)}` },
        text: seededLine(1),
      })),
      'repeat 0-3',
      'a request id asks for nothing',
    ],
    [
      'a timestamp as an argument',
      repeatCall(4, (at) => ({
        args: { q: 'x', timestamp: `2026-09-01T10:00:0${at}Z` },
        text: seededLine(1),
      })),
      'repeat 0-3',
      'time passes without anyone doing anything',
    ],
    [
      'timestamps in the answer',
      repeatCall(4, (at) => ({ args: { q: 'x' }, text: `at 10:00:0${at}: ${seededLine(1)}` })),
      'repeat 0-3',
      'the answer is the same but for its clock',
    ],
    [
      'noise in a long line',
      repeatCall(5, (at) => ({
        args: { q: 'x' },
        text: `${seededLine(1, 60)} visitor ${at * 7919} of today`,
      })),
      'repeat 0-3',
      'one word of sixty is noise',
    ],
    [
      'a cursor over an empty list',
      repeatCall(5, (at) => ({ args: { q: 'x', page: at }, text: '[]' })),
      'repeat 0-4',
      'pages move and rows do not',
    ],
    [
      'two calls by turns',
      repeatCall(6, (at) => ({ args: { q: at % 2 ? 'y' : 'x' }, text: seededLine(at % 2, 30) })),
      'cycle 0-5',
      'three rounds of two',
    ],
    [
      'a circle of eight',
      repeatCall(24, (at) => ({ args: { q: at % 8 }, text: seededLine(at % 8, 30) })),
      'cycle 0-23',
      'three rounds of eight',
    ],
    [
      'failures of one kind',
      repeatCall(5, (at) => ({
        args: { id: `n${at}` },
        error: 'NOT_FOUND',
        text: `note "n${at}" is not there`,
      })),
      'error_streak 0-4',
      'whatever is asked for, it is not there',
    ],
    [
      'failures said with isError false',
      repeatCall(5, (at) => ({
        args: { title: `t${at}` },
        errorInResult: true,
        text: 'Error: no presentation is loaded',
      })),
      'error_streak 0-4',
      'what the text says counts',
    ],
    [
      'one failure of several tools',
      repeatCall(5, (at) => ({
        tool: `ppt_${at % 3}`,
        args: { at },
        errorInResult: true,
        text: 'No presentation is currently loaded',
      })),
      'error_streak 0-4',
      'the server fails the same way',
    ],
    [
      'a check that never moves',
      interleave(
        repeatCall(6, (at) => ({ tool: 'edit', args: { to: seededLine(at) }, text: 'Edit applied' })),
        repeatCall(6, { tool: 'test', args: { all: true }, error: 'exit_1', text: onePage }),
      ),
      'no_effect 1-11',
      'six edits and the same six failures',
    ],
    [
      'a check amid other work',
      interleave(repeatCall(6, { args: { q: 'x' }, text: seededLine(1, 20) }), ordinaryCall(6)),
      'no_effect 0-10',
      'it is asked again and again and stays the same',
    ],
    [
      'an even pace with a tool that changes things',
      repeatCall(6, {
        tool: 'send',
        args: { to: 'all' },
        text: seededLine(1),
        after: 10,
        annotations: { readOnlyHint: false },
      }),
      'repeat 0-3',
      'nobody waits by sending',
    ],
    [
      'two short answers of reading tools by turns',
      repeatCall(6, (at) => ({
        args: { q: at % 2 },
        text: `none ${at % 2}`,
        annotations: { readOnlyHint: true },
      })),
      'cycle 0-5',
      'what a reader says is an answer, however short',
    ],
    [
      'two acknowledgements by turns',
      repeatCall(8, (at) => ({ args: { q: at % 2 }, text: 'ok' })),
      'cycle 0-7',
      'nobody looked, so it takes a round more',
    ],
    [
      'one answer to everything',
      repeatCall(6, (at) => ({ tool: 'check', args: { diff: seededLine(at, 20) }, text: onePage })),
      'same_answer 0-5',
      'six patches and one failing test',
    ],
    [
      'one answer to nearly everything',
      [0, 9, 1, 9, 2, 3, 4, 5].map((at, n) =>
        at === 9 ? otherCall(n) : { tool: 'check', args: { diff: seededLine(at, 20) }, text: onePage },
      ),
      'same_answer 0-7',
      'two looks elsewhere do not make it work',
    ],
    [
      'an irregular circle',
      repeatCall(21, (at) => ({
        args: { q: [0, 1, 2, 0, 2, 1, 1, 0, 2][at % 9] },
        text: seededLine([0, 1, 2, 0, 2, 1, 1, 0, 2][at % 9] ?? 0, 30),
      })),
      'nothing_new 6-14',
      'three places, seen again and again in any order',
    ],
    [
      'fifteen polls with sleeps between',
      interleave(
        repeatCall(16, { tool: 'status', args: { job: 7 }, text: 'running', after: 6 }),
        repeatCall(16, { tool: 'sleep', args: { seconds: 5 }, text: 'slept', after: 1, took: 5 }),
      ),
      'cycle 0-29',
      'it may be slow, but not for ever',
    ],
    [
      'fifteen polls without a change',
      repeatCall(16, { tool: 'status', args: { job: 7 }, text: '{"state":"running"}', after: 10 }),
      'stuck_poll 0-14',
      'a job may be slow, but not for ever',
    ],
  ];
  const cases = rows.map(([what, said, expected, because]) => [what, because, said, expected] as const);
  test.each(cases)('a loop is detected in %s, because %s', (_what, _because, said, expected) => {
    const [finding] = loopsOf(detect(said));
    expect(`${finding?.kind} ${finding?.onsetIndex}-${finding?.detectedAtIndex}`).toContain(expected);
  });
});

describe('sessions without loops', () => {
  const moving = (count: number, tool: string, args: unknown): CallInput[] =>
    repeatCall(count, (at) => ({ tool, args, text: seededLine(at, 30) }));
  const rows: WorkRow[] = [
    [
      'a double check',
      [
        ...ordinaryCall(4),
        ...repeatCall(3, { args: { q: 'x' }, text: seededLine(1) }),
        ...ordinaryCall(4, 9),
      ],
      'to look twice, or once more, is care',
    ],
    [
      'paging',
      repeatCall(30, (at) => ({ args: { q: 'x', page: at }, text: seededLine(at, 60) })),
      'every page has new rows',
    ],
    [
      'paging by an opaque cursor',
      repeatCall(30, (at) => ({ args: { cursor: seededLine(at, 1) + at }, text: seededLine(at, 60) })),
      'every page has new rows',
    ],
    [
      'scrolling',
      interleave(
        repeatCall(14, { tool: 'scroll', args: { direction: 'down' }, text: 'Done' }),
        moving(14, 'snapshot', {}),
      ),
      '"Done" is no evidence while the view moves',
    ],
    [
      'a snapshot that grows',
      interleave(
        repeatCall(8, { tool: 'scroll', args: { direction: 'down' }, text: 'ok' }),
        repeatCall(8, (at) => ({ tool: 'snapshot', args: {}, text: seededLines(3, 20 + 2 * at).join('\n') })),
      ),
      'more of the page each time',
    ],
    [
      'a table of which a row moves',
      repeatCall(12, (at) => ({
        args: {},
        text: [...seededLines(4, 60), `${4711 + 13 * at} visitors`].join('\n'),
      })),
      'what is left after the mask may be news',
    ],
    [
      'a text in one line that grows',
      repeatCall(10, (at) => ({ tool: 'log', args: {}, text: seededLine(5, 100 + 4 * at) })),
      'a log that fills',
    ],
    [
      'polling a moving job',
      repeatCall(20, (at) => ({ tool: 'status', args: { job: 7 }, text: `{"done":${at}}`, after: 5 })),
      'the counter moves',
    ],
    [
      'polling a slow job',
      [
        ...repeatCall(12, { tool: 'status', args: { job: 7 }, text: '{"state":"running"}', after: 10 }),
        { tool: 'status', args: { job: 7 }, text: '{"state":"done"}' },
        ...ordinaryCall(4),
      ],
      'at an even pace one waits',
    ],
    [
      'polling with back-off',
      repeatCall(9, (at) => ({ tool: 'status', args: { job: 7 }, text: 'running', after: 5 * 1.5 ** at })),
      'one who waits longer each time waits',
    ],
    [
      'a watch over two servers, a minute after the work',
      [
        ...repeatCall(8, (at) => ({ args: { q: at }, text: seededLine(40, 10 + at), after: 12 })),
        ...repeatCall(16, (at) => ({
          tool: 'check',
          args: { id: at % 2 },
          text: seededLine(40, at % 2),
          after: at % 2 === 0 ? 60.5 + (at % 3) : 1.2,
        })),
      ],
      'rounds that begin at an even, long pause are those of a clock',
    ],
    [
      'polling with a sleep between',
      interleave(
        repeatCall(10, { tool: 'status', args: { job: 7 }, text: 'running', after: 6 }),
        repeatCall(10, { tool: 'sleep', args: { seconds: 5 }, text: 'slept', after: 1, took: 5 }),
      ),
      'to sleep on purpose is to wait',
    ],
    [
      'a batch with one status text',
      repeatCall(40, (at) => ({ tool: 'delete_note', args: { id: at }, text: 'Note deleted.' })),
      'forty different things were done',
    ],
    [
      'fan-out',
      repeatCall(20, (at) => ({
        args: { path: `${at}.ts` },
        error: 'NOT_FOUND',
        text: 'no such file',
        after: 0.01,
      })),
      'nobody had read the first answer before the last call',
    ],
    [
      'fan-out by turn',
      [...repeatCall(8, { args: { q: 'x' }, text: seededLine(1), turn: 4 }), ...ordinaryCall(2)],
      'one message asked for all of them',
    ],
    [
      'edit and test',
      interleave(
        repeatCall(10, (at) => ({ tool: 'edit', args: { to: seededLine(at) }, text: 'Edit applied' })),
        repeatCall(10, (at) => ({ tool: 'test', args: {}, error: 'exit_1', text: seededLine(at, 60) })),
      ),
      'the output moves',
    ],
    [
      'a retry or two',
      repeatCall(18, (at) => ({
        args: { q: Math.floor(at / 3) },
        ...(at % 3 === 2 ? { text: seededLine(at) } : { error: 'HTTP_503', text: 'try later' }),
      })),
      'each call came through in the end',
    ],
    [
      'an outage',
      repeatCall(9, (at) => ({
        tool: `t${Math.floor(at / 3)}`,
        args: { q: Math.floor(at / 3) },
        error: 'HTTP_503',
        text: 'try later',
      })),
      'each call is tried three times and left',
    ],
    [
      'looking around between failures',
      [0, 1, 9, 9, 2, 3, 4].map((at, n) =>
        at === 9 ? otherCall(n) : { tool: 'book', args: { at }, error: 'NO_SEATS', text: 'none' },
      ),
      'two of seven calls found out something else',
    ],
    [
      'looking around between patches',
      [0, 9, 1, 9, 2, 9, 3, 4, 5].map((at, n) =>
        at === 9 ? otherCall(n) : { tool: 'patch', args: { diff: seededLine(at, 20) }, text: onePage },
      ),
      'three of nine calls found out something else',
    ],
    [
      'going over a list twice',
      [
        ...repeatCall(10, (at) => ({ args: { q: at % 5 }, text: seededLine(at % 5, 30) })),
        ...ordinaryCall(5),
      ],
      'the second round is a check',
    ],
    [
      'write and read',
      interleave(
        repeatCall(10, (at) => ({ tool: 'write', args: { add: seededLine(at) }, text: 'ok' })),
        repeatCall(10, (at) => ({ tool: 'read', args: {}, text: seededLines(2, at + 1).join('\n') })),
      ),
      'the file grows',
    ],
    [
      'create, run, remove, with a new error each lap',
      repeatCall(
        24,
        (at) =>
          [
            { tool: 'rm', args: { path: 'a.py' }, text: 'removed' },
            { tool: 'create', args: { path: 'a.py', text: seededLine(at) }, text: 'File created' },
            { tool: 'run', args: { cmd: 'a.py' }, error: 'ValueError', text: seededLine(at, 50) },
          ][at % 3] ?? {},
      ),
      'the run says something new each lap',
    ],
    [
      'a sleep that grows',
      repeatCall(5, (at) => ({ tool: 'sleep', args: { seconds: 5 * (at + 1) }, text: `slept` })),
      'five different calls',
    ],
    [
      'the same error with a person in between',
      repeatCall(8, (at) => ({
        tool: 'book',
        args: { seat: at },
        error: 'NO_SEATS',
        text: 'no seats',
        userMessageBefore: at % 2 === 0,
      })),
      'the person asked for each try',
    ],
    ['long work', ordinaryCall(80), 'eighty calls with eighty answers'],
  ];
  const cases = rows.map(([what, said, because]) => [what, because, said] as const);
  test.each(cases)('no loop is detected in %s, because %s', (_what, _because, said) => {
    expect(loopsOf(detect(said))).toEqual([]);
  });
});

// Requirement: loops.unknown
describe('calls with unknown fingerprints', () => {
  const search = { args: { q: 'x' }, text: seededLine(1) };

  test('a session without result fingerprints has no repeats, and the verdict gives the reason', () => {
    const calls = toLoopCalls(repeatCall(20, search)).map((call) => ({
      ...call,
      resultFingerprint: '',
      resultMaskedFingerprint: '',
      resultSimilarity: '',
    }));
    const { verdict, limits } = detectLoops(calls);
    expect(verdict).toBe('none');
    expect(limits).toBe('20 of 20 calls have no answer fingerprint, so only their failures were compared.');
  });

  test('a streak of one error is a loop even without any fingerprint', () => {
    const calls = toLoopCalls(repeatCall(8, { args: { q: 'x' }, error: 'NOT_FOUND', text: 'no x' })).map(
      (call) => ({
        ...call,
        argumentsFingerprint: '',
        argumentsMaskedFingerprint: '',
        argumentFingerprints: {},
        resultFingerprint: '',
        resultMaskedFingerprint: '',
      }),
    );
    const loops = loopsOf(detectLoops(calls));
    expect(loops.map(({ kind, sentence }) => [kind, sentence])).toEqual([
      [
        'error_streak',
        'search failed 8 times in the same way, with no success between (compared by error code only: the answers have no fingerprints) (calls 1 to 8, 21 s).',
      ],
    ]);
  });

  test('different results of unknown similarity are not treated as equal', () => {
    const unlike = toLoopCalls(repeatCall(8, (at) => ({ args: { q: 'x' }, text: seededLine(at, 60) })));
    const blind = unlike.map((call) => ({ ...call, resultSimilarity: '' }));
    expect(loopsOf(detectLoops(blind))).toEqual([]);
  });

  test('a bare exit code does not identify a cause', () => {
    const calls = toLoopCalls(repeatCall(8, (at) => ({ args: { q: at }, error: 'exit_1', text: '' })));
    const blind = calls.map((call) => ({ ...call, resultFingerprint: '', resultMaskedFingerprint: '' }));
    expect(loopsOf(detectLoops(blind))).toEqual([]);
  });

  test('results fingerprinted with different keys are not compared, and the verdict says so', () => {
    const other = { ...shapeRedaction, fingerprinter: createFingerprinter(Buffer.from('another key')) };
    const mine = toLoopCalls(repeatCall(6, search));
    const theirs = toLoopCalls(repeatCall(6, search), other);
    const mixed = mine.map((call, at) => ({
      ...call,
      ...(at >= 3 && {
        resultMaskedFingerprint: theirs[at]?.resultMaskedFingerprint ?? '',
        fingerprintKeyId: other.fingerprinter.keyId,
      }),
    }));
    const { verdict, limits } = detectLoops(mixed);
    expect(verdict).toBe('note');
    expect(limits).toContain('2 keys');
  });

  test('equal hashes made with different keys are not treated as equal', () => {
    const calls = toLoopCalls(repeatCall(6, search)).map((call, at) => ({
      ...call,
      fingerprintKeyId: `key ${at % 2}`,
    }));
    expect(detectLoops(calls).findings.map(({ kind }) => kind)).not.toContain('repeat');
  });

  test('a call blocked by the guard is neither a result of the tool nor the end of a loop', () => {
    const blocked: CallInput = { ...search, outcome: 'blocked' };
    expect(detectLoops(toLoopCalls(repeatCall(20, blocked))).verdict).toBe('none');
    const [finding] = detectLoops(toLoopCalls([...repeatCall(3, search), blocked, search])).findings;
    expect(finding).toMatchObject({ kind: 'repeat', severity: 'suspected', detectedAtIndex: 4 });
  });
});

describe('findings of the detector', () => {
  test('a finding grows from note to confirmed under one ordinal and ends when the agent does something else', () => {
    const detector = createDetector();
    const said = [
      ...ordinaryCall(2),
      ...repeatCall(6, { args: { q: 'x' }, text: seededLine(1) }),
      ...ordinaryCall(10, 50),
    ];
    const told = toLoopCalls(said).flatMap((call, index) =>
      detector.feed(call).map((finding) => ({ index, ...finding })),
    );
    const brief = told.map(({ index, ordinal, severity, state, repeats }) => [
      index,
      ordinal,
      severity,
      state,
      repeats,
    ]);
    expect(brief).toEqual([
      [4, 1, 'note', 'active', 3],
      [5, 1, 'suspected', 'active', 4],
      [6, 1, 'confirmed', 'active', 5],
      [7, 1, 'confirmed', 'active', 6],
      [16, 1, 'confirmed', 'over', 6],
    ]);
  });

  test('a finding names the tools, the repeats, the onset and the cost', () => {
    const [finding] = loopsOf(
      detect([...ordinaryCall(2), ...repeatCall(6, { args: { q: 'x' }, text: seededLine(1) })]),
    );
    expect(finding).toMatchObject({
      onsetIndex: 2,
      lastIndex: 7,
      wastedCalls: 5,
      wastedMs: 1000,
      lastedMs: 15200,
      period: 1,
    });
    expect(finding?.calls.map(({ index, toolName }) => [index, toolName])).toEqual([
      [2, 'search'],
      [3, 'search'],
      [4, 'search'],
      [5, 'search'],
    ]);
    expect(finding?.sentence).toBe(
      'search was called 6 times in a row with the same arguments, and the same answer came back each time (calls 3 to 8, 15 s).',
    );
  });

  test('one loop has one finding, whatever rules match it', () => {
    const said = repeatCall(30, (at) => ({ args: { q: at % 3 }, text: seededLine(at % 3, 40) }));
    expect(loopsOf(detect(said))).toHaveLength(1);
  });

  test('a second loop gets a second finding', () => {
    const said = [
      ...repeatCall(6, { args: { q: 'x' }, text: seededLine(1) }),
      ...ordinaryCall(12),
      ...repeatCall(6, { args: { q: 'y' }, text: seededLine(2) }),
    ];
    const { findings, wastedCalls } = detect(said);
    expect(
      loopsOf({ findings } as SessionVerdict).map(({ ordinal, onsetIndex, state }) => [
        ordinal,
        onsetIndex,
        state,
      ]),
    ).toEqual([
      [1, 0, 'over'],
      [2, 18, 'active'],
    ]);
    expect(wastedCalls).toBe(10);
  });

  // Requirement: loops.no-length
  test('a finding in a long session that is not a loop is replaced by the reason', () => {
    const said = [
      ...ordinaryCall(30),
      ...repeatCall(3, { args: { q: 'x' }, text: seededLine(1) }),
      ...ordinaryCall(10, 60),
    ];
    const { verdict, whyNot, findings } = detect(said);
    expect(verdict).toBe('note');
    expect(whyNot).toBe(
      '43 calls, but no loop: 95 % of them brought an answer that had not been seen just before; at most 3 equal calls with equal answers in a row (search; 4 would be one); at most 3 unchanged answers to the same call among others (search; 6 would be one).',
    );
    expect(findings.map(({ kind }) => kind)).toContain('budget');
  });

  test('a finding about rate or length does not change the verdict', () => {
    const { verdict, findings } = detect(ordinaryCall(120).map((said) => ({ ...said, after: 0.8 })));
    expect(verdict).toBe('none');
    expect(findings.map(({ kind, severity }) => [kind, severity])).toEqual([
      ['budget', 'note'],
      ['burst', 'note'],
    ]);
    const [long] = findings;
    expect(long?.lastedMs).toBeGreaterThan(119 * 800);
  });

  test('a confirmed loop is not displaced by many notes', () => {
    const notes = Array.from({ length: 20 }, (_, at) => [
      ...repeatCall(3, { args: { at }, text: seededLine(at) }),
      ...ordinaryCall(10, at * 100),
    ]);
    const { verdict, findings } = detect([
      ...repeatCall(5, { args: { q: 'x' }, text: seededLine(1) }),
      ...ordinaryCall(10, 9000),
      ...notes.flat(),
    ]);
    expect(verdict).toBe('confirmed');
    expect(loopsOf({ findings } as SessionVerdict)).toMatchObject([{ kind: 'repeat', onsetIndex: 0 }]);
  });

  test('the list of findings stays short in a session of many loops', () => {
    const said = Array.from({ length: 30 }, (_, loop) => [
      ...repeatCall(5, { args: { loop }, text: seededLine(loop) }),
      ...ordinaryCall(10, loop * 100),
    ]).flat();
    const { findings, wastedCalls } = detect(said);
    expect(loopsOf({ findings } as SessionVerdict)).toHaveLength(8);
    expect(wastedCalls).toBe(30 * 4);
  });
});

describe('thresholds of the detector', () => {
  const said = repeatCall(5, { args: { q: 'x' }, text: seededLine(1) });
  test.each<[ThresholdTable, string, string]>([
    [{ defaults: { repeats: 6 } }, 'note', 'for all tools'],
    [{ tools: { search: { repeats: 6 } } }, 'note', 'for a tool'],
    [{ servers: { notes: { repeats: 6 } } }, 'note', 'for a server'],
    [
      { servers: { notes: { repeats: 6 } }, tools: { search: { repeats: 4 } } },
      'confirmed',
      'the tool is nearer than its server',
    ],
    [
      { tools: { search: { repeats: 4 }, 'notes/search': { repeats: 7, checks: 9 } } },
      'none',
      'the tool of a server is nearest',
    ],
    [{ tools: { other: { repeats: 9 } } }, 'confirmed', 'another tool is not meant'],
    [{ tools: {} }, 'confirmed', 'nothing was said'],
  ])('the thresholds %j make the verdict %s, because %s', (table, verdict) => {
    expect(detectLoops(toLoopCalls(said), table).verdict).toBe(verdict);
  });
});
