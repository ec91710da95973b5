import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ADVICE_RULES, formatRuleTable } from '../../../src/core/advice/rule-table.ts';

const page = readFileSync(new URL('../../../docs/lint-rules.md', import.meta.url), 'utf8');

describe('rule table', () => {
  test('each rule has a unique id, and no id is left out', () => {
    const ids = ADVICE_RULES.map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, at) => `TD${String(at + 1).padStart(3, '0')}`));
  });

  test('every rule that traffic can confirm is a rule about definitions', () => {
    const named = ADVICE_RULES.flatMap(({ confirms }) => confirms ?? []);
    expect(named.length).toBeGreaterThan(0);
    for (const id of named) expect(ADVICE_RULES.find((rule) => rule.id === id)?.source).toBe('static');
  });

  test('a pedantic rule is a note about definitions', () => {
    const pedantic = ADVICE_RULES.filter((rule) => rule.pedantic === true);
    expect(pedantic.length).toBeGreaterThan(0);
    for (const { level, source } of pedantic) expect([level, source]).toEqual(['note', 'static']);
  });

  test('a rule that was judged wrong in more than one of ten findings, or of which fewer than ten were found, is pedantic', () => {
    const judged = [...page.matchAll(/^\| (TD\d{3}) \| (\d+) \| (\d+) \| (.+) \|$/gm)];
    expect(judged.length).toBeGreaterThan(10);
    for (const [, id = '', findings, rejected, then = ''] of judged) {
      const rule = ADVICE_RULES.find((one) => one.id === id);
      const isDoubtful = Number(findings) < 10 || Number(rejected) > Number(findings) / 10;
      // What a validator proves needs no reader.
      const isPedantic = isDoubtful && rule?.level !== 'error';
      expect([id, rule?.pedantic === true, then === 'pedantic']).toEqual([id, isPedantic, isPedantic]);
    }
  });

  test('the rule table equals the one in docs/lint-rules.md', () => {
    const written = /<!-- rules -->\n([\s\S]*?)<!-- \/rules -->/.exec(page)?.[1]?.trim();
    expect(written).toBe(formatRuleTable());
  });
});
