// Changes of the text of a rules file: what is not changed stays as it was written.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  changeRulesText,
  formatRulesText,
  listRuleFields,
} from '../../../../src/service/alerts/editing/rules-text.ts';

const YAML = `# on call: ops
allowPrivateTargets: ["127.0.0.1:1"] # the relay

rules:
  # since the incident of May
  - id: errors
    kind: metric # of tools
    metric: error_rate
    threshold: 0.05 # agreed
    match: { tool: [a, b] }

  - { id: storm, enabled: false }

# end
`;

const ERRORS = { id: 'errors', kind: 'metric', metric: 'error_rate', threshold: 0.1, match: { tool: ['a'] } };

describe('changed text of a rules file', () => {
  test('a changed rule keeps its comments, and nothing else of the file differs', () => {
    const text = changeRulesText({ path: 'alerts.yaml', text: YAML }, { replaces: 'errors', rule: ERRORS });
    expect(text).toBe(YAML.replace('threshold: 0.05', 'threshold: 0.1').replace('tool: [a, b]', 'tool: [a]'));
  });

  test('a field that the rule no longer has is removed, a new one follows the others', () => {
    const { match: _, ...rest } = ERRORS;
    const rule = { ...rest, for: '5m', notify: ['log', 'ops'] };
    const text = changeRulesText({ path: 'alerts.yaml', text: YAML }, { replaces: 'errors', rule });
    expect(text).toContain('    threshold: 0.1 # agreed\n    for: 5m\n    notify: [log, ops]\n');
    expect(text).not.toContain('match');
  });

  test('a rule and its receiver are added after the others', () => {
    const rule = { ...ERRORS, id: 'more' };
    const receivers = { team: { type: 'slack', urlFile: '/run/secrets/team' } };
    const text = changeRulesText({ path: 'alerts.yaml', text: YAML }, { rule, receivers });
    expect(text).toContain(
      '  - id: more\n    kind: metric\n    metric: error_rate\n    threshold: 0.1\n    match: { tool: [a] }\n',
    );
    expect(text).toContain('receivers:\n  team:\n    type: slack\n    urlFile: /run/secrets/team\n');
    expect(text).toContain('# since the incident of May');
  });

  test('a removed rule takes only its own comment with it', () => {
    const text = changeRulesText({ path: 'alerts.yaml', text: YAML }, { replaces: 'storm' });
    expect(text).not.toContain('storm');
    expect(text).toContain('# since the incident of May\n  - id: errors\n');
    expect(text).toContain('# on call: ops');
  });

  test.each([
    ['', 'there is no file'],
    ['# nothing yet\n', 'the file has only a comment'],
    ['{}\n', 'the file is an empty object'],
    ['rules:\n', 'the list is empty'],
    ['rules: []\n', 'the list is empty and on one line'],
  ])('the first rule is added to %j because %s', (text) => {
    const changed = changeRulesText({ path: 'alerts.yaml', text }, { rule: { id: 'a', kind: 'storm' } });
    expect(changed).toContain('rules:\n  - id: a\n    kind: storm\n');
    expect(changed.startsWith('#')).toBe(text.startsWith('#'));
  });

  test('JSON stays JSON with its order', () => {
    const text = '{"rules": [{"id": "errors", "kind": "storm"}], "externalUrl": "https://a.example"}';
    const changed = changeRulesText(
      { path: 'alerts.json', text },
      { replaces: 'errors', rule: { id: 'errors', kind: 'storm', enabled: false } },
    );
    expect(Object.keys(JSON.parse(changed))).toEqual(['rules', 'externalUrl']);
    expect(JSON.parse(changed).rules).toEqual([{ id: 'errors', kind: 'storm', enabled: false }]);
  });

  test.each([
    ['rules: &all\n  - { id: a, kind: storm }\nmore: *all\n', 'the change would apply in two places'],
    ['rules:\n  - &a { id: a, kind: storm }\n  - *a\n', 'an alias has no place of its own'],
    ['- a\n', 'the file is a list'],
  ])('%j is refused because %s', (text) => {
    const change = { replaces: 'a', rule: { id: 'a', kind: 'storm', enabled: false } };
    expect(() => changeRulesText({ path: 'alerts.yaml', text }, change)).toThrow('cannot change');
  });
});

test('every line of the example file is still there when a rule is added, and when another one is changed', () => {
  const path = fileURLToPath(new URL('../../../../examples/alerts/alerts.yaml', import.meta.url));
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  const added = changeRulesText({ path, text }, { rule: { id: 'more', kind: 'storm' } }).split('\n');
  expect(added.filter((line) => lines.includes(line))).toEqual(lines);
  const [first] = listRuleFields({ path, text });
  const changed = changeRulesText(
    { path, text },
    { replaces: String(first?.['id']), rule: { ...first, enabled: false } },
  );
  expect(changed.split('\n').filter((line) => lines.includes(line))).toEqual(lines);
});

test('the text to commit has one line per field', () => {
  expect(formatRulesText({ rule: ERRORS, receivers: { team: { type: 'slack', urlEnv: 'A' } } })).toBe(
    'receivers:\n  team:\n    type: slack\n    urlEnv: A\nrules:\n  - id: errors\n    kind: metric\n    metric: error_rate\n    threshold: 0.1\n    match: { tool: [a] }\n',
  );
});
