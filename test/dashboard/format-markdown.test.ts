import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatMarkdownCode,
  formatMarkdownText,
  formatMarkdownUrl,
} from '../../dashboard/src/format/format-markdown.ts';

describe('third-party text in Markdown', () => {
  test.each<[string, string, string]>([
    ['search_issues failed 3 times.', 'search_issues failed 3 times.', 'plain words stay'],
    ['see [here](http://evil)', 'see `[here](http://evil)`', 'a link'],
    ['![x](http://evil/p.png)', '`![x](http://evil/p.png)`', 'an image'],
    ['http://evil', '`http://evil`', 'an address'],
    ['www.evil.com', '`www.evil.com`', 'an address without a scheme'],
    ['<img src=x>', '`<img` `src=x>`', 'HTML'],
    ['@octocat please', '`@octocat` please', 'a mention'],
    ['fixes #12 and o/r#3 and GH-4', 'fixes `#12` and `o/r#3` and `GH-4`', 'references'],
    ['a|b', '`a\\|b`', 'the border of a cell'],
    ['tick ` tock', 'tick `` ` `` tock', 'a backtick'],
    ['a``b', '``` a``b ```', 'backticks in a row'],
    ['*a* __b__ ~~c~~ $d$ &amp;', '`*a*` `__b__` `~~c~~` `$d$` `&amp;`', 'emphasis, formulas and entities'],
    ['one\n# two\u2028three', 'one `#` two three', 'a line break'],
    ['a\u202eb\u200bc\u001b[2J', '`a\ufffdb\ufffdc\ufffd[2J`', 'what cannot be seen'],
  ])('%j is escaped as %j: %s', (text, expected) => {
    expect(formatMarkdownText(text)).toBe(expected);
  });

  test('a code block ends only at its own fence', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', ' ', '|', '\n') }), (text) => {
        const written = formatMarkdownCode(text);
        const [fence = ''] = /^`*/.exec(written) ?? [];
        const inner = written.slice(fence.length, written.length - fence.length);
        expect(inner.match(/`+/g) ?? []).not.toContain(fence);
        expect(written).not.toContain('\n');
      }),
    );
  });

  test('an address in a link does not end the link', () => {
    expect(formatMarkdownUrl('http://h/sessions/a)[x](b')).not.toMatch(/[()]/);
  });
});
