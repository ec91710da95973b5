// What a notification says, whatever the receiver.
import { describe, expect, test } from 'vitest';
import { describeMessage, formatContentText } from '../../../src/service/alerts/alert-content.ts';
import { listAlertLinks } from '../../../src/service/alerts/alert-links.ts';
import { hostileMessage, sampleAlert, sampleMessage } from './receivers/sample-message.ts';
import { MINUTE, NOW } from './sample.ts';

const OPTIONS = { externalUrl: 'https://t.example.com', maxAlerts: 10 };

describe('describeMessage', () => {
  test('a message says what, where, since when, how bad, the cause, what changed before, and where to look', () => {
    const background = {
      cause: '9 of 10 failures are HTTP_503 since version 2.1.',
      changes: [{ atMs: NOW - 10 * MINUTE, sentence: 'notes 2.1 replaced 2.0' }],
    };
    expect(formatContentText(describeMessage(sampleMessage('firing', { background }), OPTIONS))).toBe(
      [
        'Firing · notes, production',
        'add_note was called 7 times with the same arguments and failed the same way.',
        'Since: 2026-11-21 11:59 UTC',
        'Severity: confirmed',
        'Tool: add_note',
        'Client: cursor',
        'Wasted calls: 6',
        'Likely cause: 9 of 10 failures are HTTP_503 since version 2.1.',
        'Changed before: 2026-11-21 11:50 UTC notes 2.1 replaced 2.0',
        "See the session's calls: https://t.example.com/sessions/s1?of=notes",
        'Silence or acknowledge: https://t.example.com/alerts',
        '',
        'Toolscope · loops',
      ].join('\n'),
    );
  });

  test('a message whose earlier attempt had no answer says that it may be a repeat', () => {
    const message = { ...sampleMessage(), isPossibleRepeat: true };
    expect(describeMessage(message, OPTIONS).alerts[0]?.facts[0]).toEqual({
      name: 'Possibly a repeat',
      value: 'an earlier attempt to send this had no answer',
    });
    expect(describeMessage(sampleMessage(), OPTIONS).alerts[0]?.facts[0]?.name).toBe('Since');
  });

  test('a resolved message says when it ended and how long it lasted', () => {
    const [alert] = describeMessage(sampleMessage('resolved'), OPTIONS).alerts;
    expect(alert?.facts).toContainEqual({ name: 'Ended', value: '2026-11-21 12:12 UTC, after 13 min' });
  });

  test('a message that lists fewer alerts than it has counts the others', () => {
    const content = describeMessage(hostileMessage('firing'), OPTIONS);
    expect(content.alerts).toHaveLength(10);
    expect(content.more).toBe(90);
    expect(content.title).toMatch(/… And 99 more\.$/);
    expect(content.title.length).toBeLessThanOrEqual(250);
  });

  test.each([
    ['critical', { severity: 'confirmed' }, 'a confirmed loop is certain'],
    ['warning', { severity: 'suspected' }, 'a suspected loop may be none'],
    ['warning', {}, 'a rule without a severity is a warning'],
  ])('the level is %s for %j because %s', (level, details, _because) => {
    const evidence = { ...sampleAlert().evidence, details };
    expect(describeMessage(sampleMessage('firing', { evidence }), OPTIONS).level).toBe(level);
  });
});

describe('listAlertLinks', () => {
  const base = { alertname: 'errors', server: 'notes', environment: 'prod' };
  test.each([
    [{ ...base, session_id: 's/1' }, '/sessions/s%2F1?of=notes', 'the session has the calls'],
    [{ ...base, storm_id: 'x' }, '/loops?storm=x', 'a storm has a page'],
    [{ ...base, tool: 'add' }, '/tools/add?of=notes', 'the tool is known'],
    [base, '/?server=notes', 'only the server is known'],
    [{ alertname: 'lag' }, '/', 'it concerns all servers'],
  ])('the first link of %j leads to %s because %s', (labels, path, _because) => {
    expect(listAlertLinks(sampleAlert({ labels }), '')[0]?.url).toBe(path);
  });

  test('an alert of a tool links to its very calls', () => {
    const labels = { ...base, tool: 'add', code: 'HTTP_503', client: 'cursor' };
    const { searchParams, pathname } = new URL(
      listAlertLinks(sampleAlert({ labels }), 'http://h')[1]?.url ?? '',
    );
    expect(pathname).toBe('/calls');
    expect(Object.fromEntries(searchParams)).toEqual({
      from: '2026-11-21T11:45:00.000Z',
      server: 'notes',
      environment: 'prod',
      client: 'cursor',
      code: 'HTTP_503',
      tool: 'add',
    });
  });
});
