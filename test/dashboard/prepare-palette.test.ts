// What the command palette offers for a search, and what the page of a new server counts as received.
import { describe, expect, test } from 'vitest';
import { prepareReceived } from '../../dashboard/src/pages/onboarding/prepare-received.ts';
import {
  type PaletteData,
  preparePalette,
  searchPalette,
} from '../../dashboard/src/palette/prepare-palette.ts';
import { DEFAULT_VIEW } from '../../dashboard/src/view/view.ts';

const AT = '2026-01-05T10:00:00.000Z';
const server = (
  name: string,
  tools: readonly string[] = [],
  lastEventAt = AT,
): PaletteData['servers'][number] => ({
  ...{ server: name, environments: ['production'], versions: [], clients: [], lastEventAt },
  tools: [...tools],
});
const DATA: PaletteData = {
  views: [{ name: 'Nightly errors', path: '/calls?from=now-7d&errors=true' }],
  servers: [server('github', ['search_issues', 'get_issue']), server('notes', ['search_notes'])],
  sessions: [{ sessionId: '7f3c-91', server: 'notes', client: 'cursor' }],
  errors: [
    { server: 'github', tool: 'get_issue', code: 'NOT_FOUND' },
    { server: 'github', tool: 'get_issue', code: 'NOT_FOUND' },
    { server: 'github', tool: 'get_issue', code: '' },
  ],
};
const entries = preparePalette(DEFAULT_VIEW, DATA);
const search = (text: string) => searchPalette(entries, text, DEFAULT_VIEW);

describe('command palette', () => {
  test.each<[string, string, string]>([
    ['alerts', 'Pages Alerts', 'a page by its name'],
    ['never', 'Pages Tools never called', 'a word inside the name'],
    ['nightly', 'Saved views Nightly errors', 'a saved view'],
    ['dark', 'Actions Switch light and dark', 'an action'],
    ['github', 'Servers github', 'a server before its tools'],
    ['search issues', 'Tools search_issues', 'all words, in any order'],
    ['notes search', 'Tools search_notes', 'the server helps to tell tools apart'],
    ['7f3c', 'Sessions 7f3c-91', 'the start of an id'],
    ['not_found', 'Error codes NOT_FOUND', 'a code in any case'],
  ])('the search %j finds %s first, because it is %s', (text, expected) => {
    const [first] = search(text);
    expect(`${first?.group} ${first?.label}`).toBe(expected);
  });

  test('each code of a tool is offered once, and errors without a code are not', () => {
    expect(entries.filter(({ group }) => group === 'Error codes')).toHaveLength(1);
  });

  test('without a search, saved views, pages, actions and servers are listed', () => {
    expect(new Set(search('').map(({ group }) => group))).toEqual(
      new Set(['Saved views', 'Pages', 'Actions', 'Servers']),
    );
  });

  test('an id that is no session of the range opens that session', () => {
    const [found] = search('0af7651916cd');
    expect(found?.label).toBe('Open session 0af7651916cd');
    expect(found?.target).toEqual({ path: '/sessions/0af7651916cd' });
  });

  test('every entry leads to a page or an action, with the view in the address', () => {
    const view = { ...DEFAULT_VIEW, from: 'now-7d', isAutoRange: undefined };
    const paths = preparePalette(view, DATA).flatMap(({ target }) => ('path' in target ? [target.path] : []));
    expect(paths.filter((path) => !path.includes('from=now-7d'))).toEqual([]);
  });
});

describe('check of a new server', () => {
  test('only servers with an event since the page was opened are received, new ones first', () => {
    const later = '2026-01-05T10:00:05.000Z';
    const before = [server('github'), server('notes')];
    const now = [server('github', [], later), server('notes'), server('weather')];
    expect(prepareReceived(before, now)).toEqual([
      { server: 'weather', lastEventAt: AT, isNew: true },
      { server: 'github', lastEventAt: later, isNew: false },
    ]);
  });
});
