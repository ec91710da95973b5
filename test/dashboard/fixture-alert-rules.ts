// Rules to look at and to edit: what is saved is kept in memory, and the preview is the service's own.
import type { AlertRulesResponse, RuleEntryText } from '../../src/contract/alert-rules.ts';
import type { AlertHandlers } from '../../src/contract/queries.ts';
import { previewRule } from '../../src/service/alerts/editing/preview-rule.ts';

const MINUTE = 60_000;

const ENTRY = {
  id: 'create-order-errors',
  kind: 'metric',
  metric: 'error_rate',
  threshold: 0.05,
  match: { server: ['github'], tool: ['search_issues'] },
  notify: ['dashboard', 'ops'],
};

type RuleHandlers = Pick<
  AlertHandlers,
  'alertRules' | 'saveAlertRule' | 'removeAlertRule' | 'previewAlertRule' | 'backtestAlerts'
>;

export function createFixtureRules(now: () => number): RuleHandlers {
  const entries = new Map<string, RuleEntryText>([[ENTRY.id, ENTRY]]);
  const ago = (minutes: number): string => new Date(now() - minutes * MINUTE).toISOString();
  const toText = (entry: RuleEntryText): string => `rules:\n  - id: ${String(entry['id'])}\n`;
  const saved = { status: 'saved', path: '/var/lib/toolscope/alerts.yaml', version: 'v1' } as const;
  return {
    alertRules: async (): Promise<AlertRulesResponse> => ({
      path: saved.path,
      version: 'v1',
      readOnly: null,
      rules: [
        ...(['suspected_loop', 'session_over_calls'] as const).map((kind) => {
          const id = kind.replaceAll('_', '-');
          return { id, kind, isBuiltIn: true, isInFile: false, entry: { id, kind } };
        }),
        ...[...entries].map(([id, entry]) => ({
          ...{ id, kind: 'metric' as const, isBuiltIn: false, isInFile: true, entry },
        })),
      ],
      changes: [
        {
          ...{ id: 'c1', at: ago(90), author: 'ann', ruleId: ENTRY.id, change: 'created', receiver: 'ops' },
          ...{ before: null, after: toText(ENTRY) },
        },
      ],
    }),
    saveAlertRule: async ({ rule, replaces }) => {
      if (replaces !== undefined) entries.delete(replaces);
      entries.set(String(rule['id']), rule);
      return { ...saved, text: toText(rule) };
    },
    removeAlertRule: async ({ id }) => {
      entries.delete(id);
      return { ...saved, text: '' };
    },
    previewAlertRule: async (body) =>
      previewRule(body, { receivers: [], externalUrl: 'https://scope.example', nowMs: now() }),
    backtestAlerts: async ({ rule = {} }) => {
      const toMs = Math.floor(now() / MINUTE) * MINUTE;
      const fromMs = toMs - 7 * 24 * 60 * MINUTE;
      const values = Array.from({ length: 400 }, (_, at) => ({
        at: new Date(fromMs + ((toMs - fromMs) * at) / 400).toISOString(),
        value: at > 300 && at < 320 ? 0.2 : 0.02 + (at % 7) / 500,
        n: 60,
      }));
      const labels = { alertname: String(rule['id']), server: 'github', tool: 'search_issues' };
      const firing = { labels, value: 0.2, sentence: 'The error rate of search_issues on github is 20 %.' };
      const [firedAt = '', resolvedAt = ''] = [301, 320].map((at) => values[at]?.at);
      return {
        range: { fromMs, toMs },
        rules: [
          {
            ...{ id: String(rule['id']), kind: 'metric', sentence: '', threshold: 0.05, problem: null },
            ...{ firings: [{ ...firing, firedAt, resolvedAt }], firingCount: 1, values },
          },
        ],
      };
    },
  };
}
