// Everything a page shows stands in its address.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareFilterOptions } from '../../dashboard/src/components/prepare-filter-options.ts';
import * as paths from '../../dashboard/src/paths.ts';
import { findRangeProblem } from '../../dashboard/src/view/move-range.ts';
import { readPageState } from '../../dashboard/src/view/page-state.ts';
import {
  DEFAULT_VIEW,
  presetOf,
  readView,
  withAutoRange,
  withFilter,
  withRange,
} from '../../dashboard/src/view/view.ts';
import { FILTERS } from '../../src/contract/query.ts';

const view = { from: 'now-7d', to: 'now', server: 'notes & co', tool: 'search' };

const readCallsState = (search: string) => readPageState(paths.CALLS_PARAMETERS, search);

describe('address of a page', () => {
  test('the address of each page has its fixed form', () => {
    expect({
      overview: paths.overviewPath(DEFAULT_VIEW),
      overviewPicked: paths.overviewPath({ from: 'now-24h', to: 'now' }),
      overviewFiltered: paths.overviewPath(view, { percentile: 'p50', tables: 'calls.errors' }),
      tools: paths.toolsPath(view, { sort: '-p95' }),
      sessions: paths.sessionsPath(view, { minCalls: '31', order: 'calls' }),
      session: paths.sessionPath(DEFAULT_VIEW, { id: 'https://a/b?c=100%', of: 'notes' }),
      picked: paths.sessionsPath(DEFAULT_VIEW, {}, { id: 'a&b', of: 'notes' }),
      compared: paths.sessionComparisonPath(view, [
        { id: 'a&b', of: 'notes' },
        { id: 'c', of: 'github' },
      ]),
      calls: paths.callsPath(view, { errors: 'true', code: '-32602', call: 'a.b' }),
      settings: paths.settingsPath(DEFAULT_VIEW),
    }).toMatchInlineSnapshot(`
      {
        "calls": "/calls?from=now-7d&server=notes+%26+co&tool=search&errors=true&code=-32602&call=a.b",
        "compared": "/sessions-comparison?from=now-7d&server=notes+%26+co&tool=search&a=a%26b&aOf=notes&b=c&bOf=github",
        "overview": "/",
        "overviewFiltered": "/?from=now-7d&server=notes+%26+co&tool=search&percentile=p50&tables=calls.errors",
        "overviewPicked": "/?from=now-24h",
        "picked": "/sessions?compareWith=a%26b&compareWithOf=notes",
        "session": "/sessions/https%3A%2F%2Fa%2Fb%3Fc%3D100%25?of=notes",
        "sessions": "/sessions?from=now-7d&server=notes+%26+co&tool=search&minCalls=31&order=calls",
        "settings": "/settings",
        "tools": "/tools?from=now-7d&server=notes+%26+co&tool=search&sort=-p95",
      }
    `);
  });

  test('an address is parsed to the view it was made from', () => {
    const text = fc.string({ minLength: 1, maxLength: 20 });
    const several = fc.uniqueArray(text, { minLength: 1 });
    const choice = fc
      .record({ only: several, except: several })
      .chain((both) => fc.constantFrom(both, { ...both, only: [] }));
    const filter = fc.oneof(text, choice);
    const views = fc.record(
      { from: text, to: text, ...Object.fromEntries(FILTERS.map((name) => [name, filter])) },
      { requiredKeys: ['from', 'to'] },
    );
    fc.assert(
      fc.property(views, (given) => {
        const path = paths.overviewPath(given);
        expect(readView(path.slice(1))).toEqual(given);
      }),
    );
  });

  test.each([
    ['', { from: 'now-7d', to: 'now', isAutoRange: true }, 'it says nothing'],
    ['?from=&server=', { from: 'now-7d', to: 'now', isAutoRange: true }, 'empty counts as absent'],
    ['?from=now-24h', { from: 'now-24h', to: 'now' }, 'what is said wins, the default of the API too'],
    [
      '?tool=a&tool=b&-client=c&-client=',
      {
        ...{ from: 'now-7d', to: 'now', isAutoRange: true },
        ...{ tool: { only: ['a', 'b'], except: [] }, client: { only: [], except: ['c'] } },
      },
      'a filter may have several values, and exclude some',
    ],
    ['?tool=a&tool=a', { from: 'now-7d', to: 'now', isAutoRange: true, tool: 'a' }, 'twice the same is one'],
    ['?to=now-1h', { from: 'now-24h', to: 'now-1h' }, 'an end of its own has the beginning of the API'],
  ])('the address %s is read as %j because %s', (search, expected, _because) => {
    expect(readView(search, 'now-7d')).toEqual(expected);
  });

  test('filters of the calls page have several values in the address, and exclude some', () => {
    const state = {
      code: { only: [], except: ['HTTP_404', ''] },
      outcome: { only: ['ok', 'timeout'], except: [] },
      fault: 'client',
      q: 'a b',
    };
    const search = paths.callsPath(DEFAULT_VIEW, state).slice('/calls'.length);
    expect(search).toBe('?outcome=ok&outcome=timeout&fault=client&-code=HTTP_404&-code=&q=a+b');
    expect(readCallsState(search)).toEqual(state);
  });

  test('a session id with any characters survives its address', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
        const path = paths.sessionPath(DEFAULT_VIEW, { id, of: 's' });
        expect(paths.readSessionId(path.slice(0, path.indexOf('?')))).toBe(id);
      }),
    );
  });

  test.each<[paths.CallsState, string, string]>([
    [
      { code: '', message: '' },
      '?from=now-7d&server=notes+%26+co&tool=search&code=&message=',
      'empty is "none"',
    ],
    [{ session: '', minMs: '' }, '?from=now-7d&server=notes+%26+co&tool=search', 'there is no empty session'],
    [
      { message: 'a & b <n>' },
      '?from=now-7d&server=notes+%26+co&tool=search&message=a+%26+b+%3Cn%3E',
      'any text goes',
    ],
  ])('the address of calls with %j ends in %s because %s', (state, expected) => {
    expect(paths.callsPath(view, state)).toBe(`/calls${expected}`);
  });

  test('the filters of calls survive their address', () => {
    const text = fc.string({ maxLength: 520, unit: 'binary' }).filter((one) => one.length < 499);
    const some = {
      session: 's',
      method: 'm',
      protocol: 'p',
      minMs: '12',
      errors: 'true',
      outcome: 'ok',
    } as const;
    fc.assert(
      fc.property(text, text, text, (code, message, argument) => {
        const state = { ...some, code, message, argument };
        expect(readCallsState(paths.callsPath(view, state).slice('/calls'.length))).toEqual(state);
      }),
    );
  });

  test('a message is truncated to what the service compares, and never within a character', () => {
    const { message } = readCallsState(paths.callsPath(view, { message: `${'x'.repeat(499)}😀` }).slice(6));
    expect(message).toBe('x'.repeat(499));
  });

  test('the link of a number narrows its view and selects the counted calls only', () => {
    expect(
      paths.countedCallsPath(view, { server: 'github', tool: '', client: 'cursor', errors: 'true' }),
    ).toBe('/calls?from=now-7d&server=github&tool=search&client=cursor&counted=true&errors=true');
  });

  test('a typed address with a lone percent sign is taken as it is', () => {
    expect(paths.readSessionId('/sessions/100%')).toBe('100%');
  });
});

describe('view', () => {
  test('a view drops the tool with its server, because a tool belongs to one server', () => {
    expect(withFilter({ ...view, client: 'cursor' }, ['server', 'github'])).toEqual({
      from: 'now-7d',
      to: 'now',
      server: 'github',
      client: 'cursor',
    });
  });

  test('a picked range clears the automatic one, which can be restored', () => {
    const picked = withRange({ ...DEFAULT_VIEW, server: 'notes' }, { from: 'now-7d', to: 'now' });
    expect(picked).toEqual({ from: 'now-7d', to: 'now', server: 'notes' });
    expect(withAutoRange(picked)).toEqual({ ...DEFAULT_VIEW, server: 'notes' });
  });

  test('a filter set to nothing is removed', () => {
    expect(withFilter(view, ['tool', undefined])).toEqual({
      from: 'now-7d',
      to: 'now',
      server: 'notes & co',
    });
  });

  test.each([
    ['now-24h', 'now', '24h'],
    ['now-24h', 'now-1h', undefined],
    ['now-2h', 'now', undefined],
  ])('the range from %s to %s is the preset %s', (from, to, preset) => {
    expect(presetOf({ from, to })).toBe(preset);
  });
});

describe('typed range', () => {
  test.each([
    ['now-3h', 'now', undefined, 'it is a range'],
    ['yesterday', 'now', 'From must be', 'the grammar has no words'],
    ['now-1h', 'soon', 'To must be', 'the grammar has no words'],
    ['now', 'now-1h', 'From must be before To', 'it runs backwards'],
    ['now', 'now', 'From must be before To', 'it is empty'],
  ])('the range from %s to %s gets the message %s because %s', (from, to, expected, _because) => {
    const problem = findRangeProblem({ from, to }, 1_800_000_000_000);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(expected);
  });
});

describe('filter choices', () => {
  const server = (name: string, tools: string[]) => ({
    server: name,
    tools,
    environments: ['production'],
    versions: [],
    clients: ['', 'cursor'],
    lastEventAt: '',
  });
  const answer = { servers: [server('notes', ['search', 'add']), server('github', ['search'])] };

  test.each([
    ['server', {}, ['github', 'notes'], 'they are sorted'],
    ['tool', {}, ['add', 'search'], 'names do not repeat'],
    ['tool', { server: 'github' }, ['search'], 'only what the chosen server has'],
    ['tool', { tool: 'gone' }, ['add', 'gone', 'search'], 'what is chosen stays to be seen and removed'],
    ['client', {}, ['cursor'], 'a client without a name cannot be chosen'],
    ['server', { server: 'github' }, ['github', 'notes'], 'another server can still be chosen'],
  ] as const)('the filter %s with %j offers %j because %s', (name, filters, expected, _because) => {
    expect(prepareFilterOptions(answer, { name, view: { ...DEFAULT_VIEW, ...filters } })).toEqual(expected);
  });
});
