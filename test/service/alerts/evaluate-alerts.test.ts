import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AlertMessage,
  type AlertSet,
  EMPTY_ALERT_STATE,
} from '../../../src/service/alerts/alert-records.ts';
import { type EvaluationFacts, evaluateAlerts } from '../../../src/service/alerts/evaluate-alerts.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import {
  LOOP_RULE,
  longSession,
  loopNotice,
  MINUTE,
  NOW,
  SECOND,
  SESSION_RULE,
  STORM_RULE,
  stormRecord,
} from './sample.ts';

/** What is known at one second of a script. */
type ScriptMoment = readonly [atSeconds: number, known: Partial<EvaluationFacts>];

/** What happens, moments, what holds throughout, expected, because. */
type Row = readonly [string, readonly ScriptMoment[], Partial<EvaluationFacts>, readonly string[], string];

/** Rows whose reason stands beside what happens, so that a title can print both. */
function withTitle(rows: readonly Row[]): [string, string, Row][] {
  return rows.map((row) => [row[0], row[4], row]);
}

const NO_INPUTS: EvaluationFacts = {
  rules: [LOOP_RULE],
  silences: [],
  loops: [],
  storms: [],
  sessions: new Map(),
};

/** Plays moments in order; loops are kept young, so that only what a script says happens. */
function playScript(moments: readonly ScriptMoment[], base: Partial<EvaluationFacts> = {}) {
  let alertSet: AlertSet = EMPTY_ALERT_STATE.alertSet;
  const changes: string[] = [];
  const messages: AlertMessage[] = [];
  for (const [atSeconds, known] of moments) {
    const nowMs = NOW + atSeconds * SECOND;
    const loops = (known.loops ?? []).map((each) => ({ ...each, lastMs: nowMs }));
    const step = evaluateAlerts(alertSet, { ...NO_INPUTS, ...base, ...known, loops }, nowMs);
    alertSet = step.alertSet;
    changes.push(...step.events.map(({ from, to }) => `${atSeconds}s ${from}→${to}`));
    messages.push(...step.messages);
  }
  const said = messages.map(
    ({ status, atMs, alerts }) => `${(atMs - NOW) / SECOND}s ${status} ${alerts.length}`,
  );
  return { alertSet, changes, messages, said };
}

const ACTIVE_LOOP = { loops: [loopNotice()] };
const NO_LOOP = { loops: [] };
const PENDING_RULES = { rules: [{ ...LOOP_RULE, forMs: 10 * SECOND }] };

describe('alert states', () => {
  const table: Row[] = [
    ['is active', [[0, ACTIVE_LOOP]], {}, ['0s inactive→firing'], 'the detector has counted repeats already'],
    [
      'is active twice',
      [
        [0, ACTIVE_LOOP],
        [5, ACTIVE_LOOP],
      ],
      {},
      ['0s inactive→firing'],
      'the same labels are the same alert',
    ],
    ['is active', [[0, ACTIVE_LOOP]], PENDING_RULES, ['0s inactive→pending'], 'it must last first'],
    [
      'lasts exactly as long as its pending time',
      [
        [0, ACTIVE_LOOP],
        [9, ACTIVE_LOOP],
        [10, ACTIVE_LOOP],
      ],
      PENDING_RULES,
      ['0s inactive→pending', '10s pending→firing'],
      'the pending time starts when it was first seen',
    ],
    [
      'ends while its alert is pending',
      [
        [0, ACTIVE_LOOP],
        [9, NO_LOOP],
        [20, NO_LOOP],
      ],
      PENDING_RULES,
      ['0s inactive→pending', '9s pending→inactive'],
      'no receiver was notified, so nothing is resolved',
    ],
    [
      'ends and returns while its alert is pending',
      [
        [0, ACTIVE_LOOP],
        [5, NO_LOOP],
        [10, ACTIVE_LOOP],
      ],
      PENDING_RULES,
      ['0s inactive→pending', '5s pending→inactive', '10s inactive→pending'],
      'the pending time starts again',
    ],
    [
      'flaps within keepFiringFor',
      [
        [0, ACTIVE_LOOP],
        [10, NO_LOOP],
        [60, ACTIVE_LOOP],
        [70, NO_LOOP],
        [119, NO_LOOP],
      ],
      {},
      ['0s inactive→firing'],
      'what comes back at once was not over',
    ],
    [
      'is over for keepFiringFor',
      [
        [0, ACTIVE_LOOP],
        [59, NO_LOOP],
        [60, NO_LOOP],
      ],
      {},
      ['0s inactive→firing', '60s firing→resolved'],
      'the time counts from when it was last seen',
    ],
    [
      'comes back after its end',
      [
        [0, ACTIVE_LOOP],
        [60, NO_LOOP],
        [100, ACTIVE_LOOP],
      ],
      {},
      ['0s inactive→firing', '60s firing→resolved', '100s resolved→firing'],
      'it is a new fire of the same alert',
    ],
    [
      'has its rule disabled',
      [
        [0, ACTIVE_LOOP],
        [5, { ...ACTIVE_LOOP, rules: [{ ...LOOP_RULE, enabled: false }] }],
      ],
      {},
      ['0s inactive→firing', '5s firing→resolved'],
      'a disabled rule keeps nothing firing',
    ],
    [
      'has its rule removed',
      [
        [0, ACTIVE_LOOP],
        [5, { ...ACTIVE_LOOP, rules: [] }],
      ],
      {},
      ['0s inactive→firing', '5s firing→resolved'],
      'notified receivers are notified of the end',
    ],
    ['is a note', [[0, { loops: [loopNotice({ severity: 'note' })] }]], {}, [], 'a note is no suspicion'],
    ['is a burst', [[0, { loops: [loopNotice({ kind: 'burst' })] }]], {}, [], 'a burst is a pace, no loop'],
    ['is over', [[0, { loops: [loopNotice({ state: 'over' })] }]], {}, [], 'it no longer goes on'],
    [
      'is on another server',
      [[0, ACTIVE_LOOP]],
      { rules: [{ ...LOOP_RULE, match: { server: ['files'], environment: [], tool: [] } }] },
      [],
      'the rule watches another server',
    ],
    [
      'includes a tool of the rule',
      [[0, { loops: [loopNotice({ tools: ['a', 'b'] })] }]],
      { rules: [{ ...LOOP_RULE, match: { server: [], environment: ['production'], tool: ['b'] } }] },
      ['0s inactive→firing'],
      'one of the tools is enough',
    ],
    [
      'is only suspected',
      [[0, ACTIVE_LOOP]],
      { rules: [{ ...LOOP_RULE, severity: 'confirmed' }] },
      [],
      'the rule asks for confirmed ones',
    ],
  ];
  test.each(withTitle(table))(
    'when a loop %s, its alert goes through the expected states, because %s',
    (_what, _because, row) => {
      const [, moments, base, expected] = row;
      expect(playScript(moments, base).changes).toEqual(expected);
    },
  );

  test('a resolved alert is listed for a quarter of an hour', () => {
    const gone = [
      [0, ACTIVE_LOOP],
      [60, NO_LOOP],
    ] as const;
    expect(playScript([...gone, [959, NO_LOOP]]).alertSet.alerts).toHaveLength(1);
    expect(playScript([...gone, [960, NO_LOOP]]).alertSet.alerts).toHaveLength(0);
  });

  test('the alert of a loop is resolved after three quarters of an hour without news of the loop', () => {
    const quiet = { ...NO_INPUTS, loops: [loopNotice({ lastMs: NOW })] };
    const { alertSet } = evaluateAlerts(EMPTY_ALERT_STATE.alertSet, quiet, NOW);
    expect(evaluateAlerts(alertSet, quiet, NOW + 44 * MINUTE).events).toEqual([]);
    const later = evaluateAlerts(alertSet, quiet, NOW + 45 * MINUTE);
    expect(later.events.map(({ to }) => to)).toEqual(['resolved']);
  });

  test('sessions that could not be read do not change an alert, however long ago they were seen', () => {
    const rules = [SESSION_RULE];
    const read = { rules, sessions: new Map([['long', [longSession()]]]) };
    const { changes } = playScript([
      [0, read],
      [600, { rules }],
      [601, { rules, sessions: new Map([['long', []]]) }],
    ]);
    expect(changes).toEqual(['0s inactive→firing', '601s firing→resolved']);
  });

  test('a session of thirty calls raises no alert and one of thirty-one does', () => {
    const at = (calls: number) =>
      playScript([[0, { rules: [SESSION_RULE], sessions: new Map([['long', [longSession({ calls })]]]) }]])
        .changes;
    expect(at(30)).toEqual([]);
    expect(at(31)).toEqual(['0s inactive→firing']);
  });
});

describe('alerts of a storm', () => {
  const rules = [LOOP_RULE, SESSION_RULE, STORM_RULE];
  const sessions = (count: number, over = {}) =>
    Array.from({ length: count }, (_, n) => loopNotice({ id: `l${n}`, sessionId: `s${n}`, ...over }));
  const folded = { foldedInto: stormRecord().id };
  const none = new Map([['long', []]]);

  test('a storm raises one alert and one message, and its two hundred sessions raise none', () => {
    const known = { rules, storms: [stormRecord()], loops: sessions(200, folded), sessions: none };
    const { changes, said, alertSet } = playScript([0, 1, 60, 119].map((at): ScriptMoment => [at, known]));
    expect(changes).toEqual(['0s inactive→firing']);
    expect(said).toEqual(['0s firing 1']);
    expect(alertSet.alerts[0]?.labels).toMatchObject({
      server: 'notes',
      code: 'HTTP_503',
      tool: 'read, search',
    });
  });

  test('when a storm absorbs a loop, the firing alert of the loop is resolved at once without another message', () => {
    const { changes, said } = playScript([
      [0, { rules, loops: sessions(1) }],
      [2, { rules, storms: [stormRecord()], loops: sessions(1, folded) }],
      [90, { rules, storms: [stormRecord()], loops: sessions(1, folded) }],
      [200, { rules }],
    ]);
    expect(changes).toEqual([
      '0s inactive→firing',
      '2s firing→resolved',
      '2s inactive→firing',
      '200s firing→resolved',
    ]);
    expect(said).toEqual(['0s firing 1', '2s firing 1', '200s resolved 1']);
  });

  test('a session in a storm still raises an alert for another loop of its own', () => {
    const own = loopNotice({ id: 'own', sessionId: 's0', kind: 'cycle' });
    const { changes } = playScript([
      [0, { rules, storms: [stormRecord()], loops: [...sessions(1, folded), own] }],
    ]);
    expect(changes).toEqual(['0s inactive→firing', '0s inactive→firing']);
  });

  test('sessions in a storm raise their own alerts when no rule matches the storm', () => {
    const known = { storms: [stormRecord()], loops: sessions(2, folded) };
    const off = [LOOP_RULE, { ...STORM_RULE, enabled: false }];
    expect(playScript([[0, { ...known, rules: off }]]).said).toEqual(['0s firing 2']);
    const elsewhere = { ...STORM_RULE, match: { ...STORM_RULE.match, server: ['files'] } };
    expect(playScript([[0, { ...known, rules: [LOOP_RULE, elsewhere] }]]).said).toEqual(['0s firing 2']);
  });

  test('a loop that is held back raises its alert when the hold ends, and not before', () => {
    const held = { rules: [LOOP_RULE], loops: sessions(1, { holdUntilMs: NOW + 6 * SECOND }) };
    expect(playScript([0, 3, 5, 6].map((at): ScriptMoment => [at, held])).changes).toEqual([
      '6s inactive→firing',
    ]);
  });

  test('a long session in a storm raises no alert for its length, during the storm or after it', () => {
    const long = new Map([['long', [longSession({ sessionId: 's0' })]]]);
    const over = sessions(1, { ...folded, state: 'over' });
    const { changes } = playScript([
      [0, { rules: [SESSION_RULE, STORM_RULE], loops: sessions(1, folded), sessions: long }],
      [60, { rules: [SESSION_RULE, STORM_RULE], loops: over, sessions: long }],
    ]);
    expect(changes).toEqual([]);
  });

  test('a loop that spans several sessions raises one alert, and its sessions raise none', () => {
    const tree = loopNotice({ id: 'tree', treeId: 'plan:p', kind: 'nothing_new' });
    const known = { rules: [LOOP_RULE], loops: [tree, ...sessions(3, { foldedInto: 'tree' })] };
    const moved = { ...known, loops: [{ ...tree, sessionId: 's2' }] };
    const { changes, said } = playScript([
      [0, known],
      [10, moved],
    ]);
    expect(changes).toEqual(['0s inactive→firing']);
    expect(said).toEqual(['0s firing 1']);
  });
});

describe('notifications', () => {
  const agents = (...ids: string[]) => ({ loops: ids.map((id) => loopNotice({ id, sessionId: id })) });
  const silence = {
    id: 'quiet',
    matchers: [{ name: 'server', value: 'notes', isEqual: true }],
    comment: '',
    createdMs: NOW,
    expiresMs: NOW + 30 * SECOND,
  } as const;

  const table: Row[] = [
    [
      'one agent, two hundred evaluations',
      Array.from({ length: 200 }, (_, at): ScriptMoment => [at, ACTIVE_LOOP]),
      {},
      ['0s firing 1'],
      'one runaway agent is one message',
    ],
    [
      'one agent in three loops',
      [
        [
          0,
          {
            loops: [
              loopNotice(),
              loopNotice({ id: 'l2', kind: 'cycle' }),
              loopNotice({ id: 'l3', kind: 'error_streak' }),
            ],
          },
        ],
      ],
      {},
      ['0s firing 1'],
      'the session is who runs away',
    ],
    [
      'it stops',
      [
        [0, ACTIVE_LOOP],
        [60, NO_LOOP],
      ],
      {},
      ['0s firing 1', '60s resolved 1'],
      'the end is told too',
    ],
    ['two agents at once', [[0, agents('a', 'b')]], {}, ['0s firing 2'], 'a group is one message'],
    [
      'more agents one by one',
      [
        [0, agents('a')],
        [10, agents('a', 'b')],
        [20, agents('a', 'b', 'c')],
        [60, agents('a', 'b', 'c')],
      ],
      {},
      ['0s firing 1', '60s firing 3'],
      'more of the same waits for the interval',
    ],
    [
      'one of two stops',
      [
        [0, agents('a', 'b')],
        [50, agents('b')],
        [61, agents('b')],
        [130, NO_LOOP],
      ],
      {},
      ['0s firing 2', '61s firing 2', '130s resolved 1'],
      'the group fires as long as one does',
    ],
    [
      'one of two stops and starts again within the interval',
      [
        [0, agents('a', 'b')],
        [10, agents('b')],
        [20, agents('a', 'b')],
        [70, agents('a', 'b')],
        [130, NO_LOOP],
      ],
      { rules: [{ ...LOOP_RULE, keepFiringForMs: 0 }] },
      ['0s firing 2', '130s resolved 2'],
      'a receiver that got no resolved notification needs no second firing one',
    ],
    [
      'agents on two servers',
      [[0, { loops: [loopNotice(), loopNotice({ id: 'l2', server: 'files' })] }]],
      {},
      ['0s firing 1', '0s firing 1'],
      'they are two groups',
    ],
    [
      'it comes back at once after its end',
      [
        [0, ACTIVE_LOOP],
        [60, NO_LOOP],
        [61, ACTIVE_LOOP],
      ],
      {},
      ['0s firing 1', '60s resolved 1', '61s firing 1'],
      'no receiver was notified that it fires',
    ],
    [
      'a silence ends while it fires',
      [
        [0, ACTIVE_LOOP],
        [29, ACTIVE_LOOP],
        [30, ACTIVE_LOOP],
      ],
      { silences: [silence] },
      ['30s firing 1'],
      'a silence only puts off',
    ],
    [
      'it ends within a silence',
      [
        [0, ACTIVE_LOOP],
        [10, NO_LOOP],
        [70, NO_LOOP],
      ],
      { silences: [silence], rules: [{ ...LOOP_RULE, keepFiringForMs: 0 }] },
      [],
      'no receiver was notified that it fired',
    ],
    [
      'it was told before the silence',
      [
        [0, { ...ACTIVE_LOOP, silences: [] }],
        [10, NO_LOOP],
      ],
      { silences: [silence], rules: [{ ...LOOP_RULE, keepFiringForMs: 0 }] },
      ['0s firing 1', '10s resolved 1'],
      'the end closes what the beginning opened',
    ],
    [
      'the silence is for everybody else',
      [[0, ACTIVE_LOOP]],
      { silences: [{ ...silence, matchers: [{ name: 'server', value: 'notes', isEqual: false }] }] },
      ['0s firing 1'],
      'its matcher is negated',
    ],
    [
      'a long session loops',
      [[0, { ...ACTIVE_LOOP, sessions: new Map([['long', [longSession({ calls: 200 })]]]) }]],
      { rules: [LOOP_RULE, SESSION_RULE] },
      ['0s firing 1'],
      'the loop says it already',
    ],
    [
      'a long session belongs to another rule',
      [[0, { ...ACTIVE_LOOP, sessions: new Map([['long', [longSession({ calls: 200 })]]]) }]],
      {
        rules: [
          { ...LOOP_RULE, notify: ['log'] },
          { ...SESSION_RULE, notify: ['hook'] },
        ],
      },
      ['0s firing 1', '0s firing 1'],
      'who hears of length hears nothing of loops',
    ],
  ];
  test.each(withTitle(table))(
    'receivers get exactly the expected notifications for %s, because %s',
    (_what, _because, row) => {
      const [, moments, base, expected] = row;
      expect(playScript(moments, base).said).toEqual(expected);
    },
  );

  test('a notification lists twenty alerts and counts the rest', () => {
    const many = agents(...Array.from({ length: 200 }, (_, at) => `agent-${at}`));
    const { messages } = playScript([
      [0, many],
      [1, many],
    ]);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ truncated: 180, receivers: ['dashboard', 'log', 'hook'] });
    expect(messages[0]?.alerts).toHaveLength(20);
  });

  test('the receivers of a removed rule are notified that its alerts are resolved', () => {
    const { messages } = playScript([
      [0, ACTIVE_LOOP],
      [5, { ...ACTIVE_LOOP, rules: [] }],
    ]);
    expect(messages.map(({ status, receivers }) => [status, receivers])).toEqual([
      ['firing', ['dashboard', 'log', 'hook']],
      ['resolved', ['dashboard', 'log', 'hook']],
    ]);
  });

  test('the notification about a session describes its worst loop', () => {
    const loops = [
      loopNotice({ id: 'a', wastedCalls: 99 }),
      loopNotice({ id: 'b', severity: 'confirmed', sentence: 'Sure.' }),
    ];
    for (const order of [loops, loops.toReversed()]) {
      expect(playScript([[0, { loops: order }]]).alertSet.alerts[0]?.evidence).toMatchObject({
        sentence: 'Sure.',
        details: { severity: 'confirmed', other_loops: '1' },
      });
    }
  });
});

describe('notification sequences', () => {
  const moment = fc.record({
    afterSeconds: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 400 })),
    agents: fc.subarray(['a', 'b', 'c']),
    tool: fc.constantFrom('x', 'y'),
    severity: fc.constantFrom(
      'suspected' as const,
      'suspected' as const,
      'confirmed' as const,
      'note' as const,
    ),
    isSilent: fc.boolean(),
    hasRule: fc.constantFrom(true, true, true, true, false),
  });
  type Told = typeof moment extends fc.Arbitrary<infer T> ? T : never;
  const script = fc.record({
    moments: fc.array(moment, { maxLength: 40 }),
    forMs: fc.constantFrom(0, 30 * SECOND),
    keepFiringForMs: fc.constantFrom(0, MINUTE),
    groupIntervalMs: fc.constantFrom(0, MINUTE),
  });

  /** Takes in what a receiver hears, and complains of what cannot be. */
  function hear(believed: Map<string, string>, { news, alerts, groupKey }: AlertMessage): void {
    for (const fingerprint of news) {
      const alert = alerts.find((each) => each.fingerprint === fingerprint);
      expect(believed.get(fingerprint)).toBe(alert?.state === 'firing' ? undefined : groupKey);
      if (alert?.state === 'firing') believed.set(fingerprint, groupKey);
      else believed.delete(fingerprint);
    }
  }

  function toInputs(
    { agents, tool, severity, isSilent }: Pick<Told, 'agents' | 'tool' | 'severity' | 'isSilent'>,
    nowMs: number,
  ) {
    const matchers = [{ name: 'session_id', value: 'a', isEqual: true }] as const;
    const silence = { id: 's', matchers, comment: '', createdMs: NOW, expiresMs: nowMs + 1 };
    return {
      loops: agents.map((id) => loopNotice({ id, sessionId: id, tools: [tool], severity, lastMs: nowMs })),
      storms: [],
      sessions: new Map(),
      silences: isSilent ? [silence] : [],
    };
  }

  test('receivers never get two firing notifications in a row, nor a resolved one before a firing one', () => {
    fc.assert(
      fc.property(script, ({ moments, ...times }) => {
        let alertSet: AlertSet = EMPTY_ALERT_STATE.alertSet;
        let nowMs = NOW;
        const believed = new Map<string, string>();
        for (const each of moments) {
          nowMs += each.afterSeconds * SECOND;
          const rules = each.hasRule ? [{ ...LOOP_RULE, ...times }] : [];
          const step = evaluateAlerts(alertSet, { ...toInputs(each, nowMs), rules }, nowMs);
          alertSet = step.alertSet;
          for (const message of step.messages) hear(believed, message);
          const told = alertSet.alerts
            .filter((alert) => alert.notified === 'firing')
            .map((alert) => alert.fingerprint);
          expect(told.toSorted()).toEqual([...believed.keys()].toSorted());
        }
        const { messages } = evaluateAlerts(alertSet, { ...NO_INPUTS, rules: [] }, nowMs + 3_600_000);
        for (const message of messages) hear(believed, message);
        expect([...believed.keys()]).toEqual([]);
      }),
      { numRuns: propertyRuns({ quick: 100, full: 300 }) },
    );
  });
});
