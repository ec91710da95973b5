// A process of alerts that a test can kill: directory, receiver and what it hears are arguments. Prints a line once it has
// heard, and then lives until it is ended.
import { startAlerts } from '../../../src/service/alerts/alerts-worker.ts';
import { createAlertsOptions } from './open-test-alerts.ts';
import { loopNotice } from './sample.ts';

const [dataDirectory = '', url = '', heard = 'nothing'] = process.argv.slice(2);
const alerts = await startAlerts(createAlertsOptions(url, { dataDirectory, timing: { timeoutMs: 20_000 } }));
const lastMs = Date.now();
if (heard !== 'nothing') {
  await alerts.onLoops([loopNotice({ lastMs, state: heard === 'over' ? 'over' : 'active' })]);
}
process.stdout.write('heard\n');
setInterval(() => undefined, 1_000);
