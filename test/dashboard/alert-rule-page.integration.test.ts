// The form of an alert rule in a browser, with the service's own rules file, alerts and sending behind it, and a real
// HTTP receiver.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { AlertHandlers } from '../../src/contract/queries.ts';
import type { MetricRow, MetricRowsQuery } from '../../src/core/model/metric-row.ts';
import { startAlerts } from '../../src/service/alerts/alerts-worker.ts';
import { RuleEditor } from '../../src/service/alerts/editing/rule-editor.ts';
import { checkReceivers } from '../../src/service/alerts/receivers/check-receivers.ts';
import { resolveHostname } from '../../src/service/alerts/receivers/check-target.ts';
import { RulesFile } from '../../src/service/alerts/rules-file.ts';
import { metricRow } from '../service/alerts/metrics/made-traffic.ts';
import { createAlertsOptions, createTestDirectory } from '../service/alerts/open-test-alerts.ts';
import { VENDOR_SCHEMAS } from '../service/alerts/receivers/vendor-schemas.ts';
import { startWebhookReceiver } from '../service/alerts/webhook-receiver.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { createFixtureAlerts } from './fixture-alerts.ts';
import { startFixtureServer } from './fixture-server.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser(inject('browserLaunch'));
});
afterAll(() => browser?.close());

/** `search_issues` fails for an hour of the day before; otherwise it does not. */
function readMetricRows({ fromMs, toMs, bucketMs }: MetricRowsQuery): readonly MetricRow[] {
  const failingMs = Math.floor(Date.now() / HOUR) * HOUR - 24 * HOUR;
  const rows = [];
  for (let startMs = fromMs; startMs < toMs; startMs += bucketMs) {
    const place = { startMs, server: 'github', tool: 'search_issues', environment: '' };
    const isFailing = startMs >= failingMs && startMs < failingMs + HOUR;
    rows.push(metricRow(0, { ...place, calls: 10 }));
    if (isFailing) rows.push(metricRow(0, { ...place, calls: 10, fault: 'server', code: 'HTTP_500' }));
  }
  return rows;
}

/** A service without any rule of its own, which may send to this one receiver. */
async function openRules() {
  const receiver = await startWebhookReceiver();
  const dataDirectory = createTestDirectory();
  const path = join(dataDirectory, 'alerts.yaml');
  const given = `# Ask ops before you change this.\nallowPrivateTargets: ["${receiver.target}"]\n`;
  writeFileSync(path, given);
  const log = pino({ level: 'silent' });
  const base = createAlertsOptions(receiver.url, { dataDirectory });
  const fileOptions = {
    ...{ explicitPath: undefined, dataDirectory, environment: {}, log },
    checkConfig: (config: Parameters<Parameters<typeof RulesFile.open>[0]['checkConfig']>[0]) =>
      checkReceivers(config.receivers, { ...config, resolveHostname, allowedCommands: [] }),
  };
  const rulesFile = await RulesFile.open(fileOptions, Date.now());
  const windowSource = {
    ...base.windowSource,
    readMetricRows: async (query: MetricRowsQuery) => readMetricRows(query),
  };
  const alerts = await startAlerts({ ...base, config: rulesFile, windowSource });
  onTestFinished(() => alerts.close());
  const editor = new RuleEditor({
    ...{ ...fileOptions, rulesFile, now: Date.now },
    listChanges: () => alerts.requests.ruleChanges,
    recordChange: (change) => alerts.requests.recordRuleChange(change),
  });
  const { requests } = alerts;
  const handlers: AlertHandlers = {
    ...createFixtureAlerts(Date.now),
    alerts: async () => requests.list(),
    alertRules: () => editor.list(),
    saveAlertRule: (body) => editor.save(body),
    removeAlertRule: ({ id, ...body }) => editor.remove(id, body),
    previewAlertRule: async (body) => requests.preview(body),
    testAlert: ({ receiver: name }) => requests.test(name),
    backtestAlerts: (body) => requests.backtest(body),
  };
  const server = await startFixtureServer({ alerts: handlers });
  onTestFinished(() => server.close());
  return { server, receiver, path, given, dataDirectory, rulesFile };
}

type OpenRules = Awaited<ReturnType<typeof openRules>>;

async function openAlertsPage({ server }: OpenRules, width: number): Promise<Page> {
  const { page, context } = await openPage(browser, {
    viewport: { width, height: 844 },
    hasTouch: width < 600,
  });
  onTestFinished(() => context.close());
  await page.goto(`${server.url}/alerts`);
  await page.getByRole('link', { name: 'New rule' }).waitFor();
  return page;
}

/** Counts what a person does: presses, choices, and fields that are filled in. */
function createCounter() {
  const counter = { interactions: 0 };
  return {
    counter,
    async act(what: () => Promise<unknown>): Promise<void> {
      counter.interactions += 1;
      await what();
    },
  };
}

async function expectTestedRule(page: Page, rules: OpenRules): Promise<void> {
  const { receiver, path, given, dataDirectory, rulesFile } = rules;
  await page.getByText('Test of slack: delivered (HTTP 200)').waitFor();
  const [sent] = receiver.received;
  expect(receiver.received).toHaveLength(1);
  expect(VENDOR_SCHEMAS.slack.safeParse(sent?.body).error).toBeUndefined();
  expect(sent?.path).toBe('/services/T0/B0/topsecret');
  const text = readFileSync(path, 'utf8');
  expect(text.startsWith(given), text).toBe(true);
  expect(text).not.toContain('topsecret');
  expect(statSync(join(dataDirectory, 'alert-secrets', 'slack')).mode & 0o777).toBe(0o600);
  expect(rulesFile.rules.find(({ id }) => id === 'search-issues-error-rate')).toMatchObject({
    metric: 'error_rate',
    threshold: 0.1,
    match: { tool: ['search_issues'] },
    notify: ['dashboard', 'log', 'slack'],
  });
}

describe('form of an alert rule', () => {
  // Requirement: alerts.form
  test('on a phone, at most ten taps and fields lead from nothing to a tested Slack rule for one tool', async () => {
    const rules = await openRules();
    const page = await openAlertsPage(rules, 390);
    const { counter, act } = createCounter();
    await act(() => page.getByRole('link', { name: 'New rule' }).tap());
    await act(() => page.getByLabel('Tool', { exact: true }).fill('search_issues'));
    await act(() => page.getByLabel('Threshold').fill('10'));
    await act(() => page.getByLabel('Add a receiver').selectOption('slack'));
    await act(() => page.getByLabel('Webhook URL').fill(`${rules.receiver.url}/services/T0/B0/topsecret`));
    await page.getByText('Would have fired once in the last 7 days.').waitFor();
    await page.getByText(/^Firing · example-server\s+The error rate of search_issues/).waitFor();
    await act(() => page.getByRole('button', { name: 'Save and test' }).tap());
    await expectTestedRule(page, rules);
    expect(counter.interactions).toBeLessThanOrEqual(10);
  });

  test('the keyboard alone leads from nothing to a tested Slack rule', async () => {
    const rules = await openRules();
    const page = await openAlertsPage(rules, 1440);
    const { counter, act } = createCounter();
    await tabTo(page, 'New rule');
    await act(() => page.keyboard.press('Enter'));
    // The first field has the focus.
    await page.locator('input:focus').waitFor();
    await act(() => page.keyboard.type('search_issues'));
    await tabTo(page, 'Threshold');
    await act(() => page.keyboard.type('10'));
    await tabTo(page, 'Add a receiver');
    await act(() => page.keyboard.press('ArrowDown'));
    await tabTo(page, 'Webhook URL');
    await act(() => page.keyboard.type(`${rules.receiver.url}/services/T0/B0/topsecret`));
    await act(() => page.keyboard.press('Enter'));
    await expectTestedRule(page, rules);
    expect(counter.interactions).toBeLessThanOrEqual(10);
  });

  test('a change of an edited file is refused, and can be applied to the newer file', async () => {
    const rules = await openRules();
    const page = await openAlertsPage(rules, 1440);
    await page.getByRole('link', { name: 'Edit storm' }).click();
    await page.getByLabel('Enabled').uncheck();
    await page.getByLabel('Your name').fill('ann');
    writeFileSync(rules.path, `${rules.given}repeatInterval: 4h\n`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The rules file has changed').waitFor();
    await page.getByRole('button', { name: 'Apply my change to the newer file' }).click();
    await page.getByText('The rules file has changed').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved to').waitFor();
    const text = readFileSync(rules.path, 'utf8');
    expect(text).toBe(`${rules.given}repeatInterval: 4h\nrules:\n  - id: storm\n    enabled: false\n`);
    await page.getByRole('button', { name: 'Restore the defaults' }).click();
    await page.getByRole('button', { name: 'Restore the defaults? Press again' }).click();
    await page.getByRole('heading', { name: 'Changes of rules' }).waitFor();
    expect(rules.rulesFile.rules.find(({ id }) => id === 'storm')?.enabled).toBe(true);
    await page.getByRole('cell', { name: 'ann' }).first().waitFor();
  });
});

/** Presses Tab until the focus is on the control of that name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      const label = element instanceof HTMLInputElement || element instanceof HTMLSelectElement;
      return (label ? element.labels?.[0]?.textContent : element?.textContent) ?? '';
    });
    if (focused.trim() === name) return;
    await page.keyboard.press('Tab');
  }
  expect.unreachable(`Tab does not reach ${name}`);
}
