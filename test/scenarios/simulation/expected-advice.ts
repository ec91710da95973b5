// What the fortnight has to show, counted from the ledger alone: one row for each piece of advice, with every figure in it.
import { BILLING } from './billing.ts';
import {
  countDistinctSessions,
  findDuplicates,
  isError,
  isRecovered,
  type LoggedCall,
  nextStep,
} from './call-log.ts';
import { SHOP } from './shop.ts';
import { TICKETS } from './tickets.ts';

export interface ExpectedAdvice {
  readonly rule: string;
  readonly server: string;
  readonly tool: string;
  readonly argument: string;
  readonly level: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly callsLost: number;
}

interface ExpectedDetails extends Partial<ExpectedAdvice> {
  readonly counts: ExpectedAdvice['counts'];
}

const expectAdviceOf = (
  rule: string,
  [server, tool]: readonly [string, string],
  told: ExpectedDetails,
): ExpectedAdvice => ({
  ...{ rule, server, tool, argument: '', level: 'note', callsLost: 0 },
  ...told,
});

const callsOf = (facts: readonly LoggedCall[], server: string, tool: string): LoggedCall[] =>
  facts.filter((fact) => fact.server === server && fact.tool === tool);

/** Open before the deploy. @param facts all that happened before it */
export function expectedBefore(facts: readonly LoggedCall[]): ExpectedAdvice[] {
  const searches = callsOf(facts, SHOP, 'search_orders');
  const refused = searches.filter(({ about }) => about === 'limit');
  return [
    ...unresolvedAdvice(facts),
    ...uncodedErrorAdvice(facts, [SHOP, 'print_label']),
    stateAdvice(searches),
    expectAdviceOf('TD003', [SHOP, 'cancel_order'], { level: 'error', counts: { descriptionCharacters: 0 } }),
    expectAdviceOf('TD012', [SHOP, 'search_orders'], {
      argument: 'limit',
      level: 'warning',
      counts: { calls: searches.length, failures: refused.length, sessions: countDistinctSessions(refused) },
      callsLost: refused.length,
    }),
  ];
}

/** Open after it. @param facts the whole fortnight: what the deploy left as it was is judged on all of it */
export function expectedAfter(facts: readonly LoggedCall[]): ExpectedAdvice[] {
  const late = facts.filter(({ about }) => about.startsWith('old'));
  const metNew = callsOf(facts, SHOP, 'search_orders').filter(({ version }) => version !== '1.9.2');
  const outdated = (tool: string) => {
    const calls = callsOf(late, SHOP, tool);
    const lastCalledAtMs = Math.max(...calls.map(({ startedMs }) => startedMs));
    return expectAdviceOf('TD032', [SHOP, tool], { counts: { calls: calls.length, lastCalledAtMs } });
  };
  return [...unresolvedAdvice(facts), stateAdvice(metNew), outdated('get_order'), outdated('search_orders')];
}

const stateAdvice = (searches: readonly LoggedCall[]): ExpectedAdvice =>
  expectAdviceOf('TD009', [SHOP, 'search_orders'], {
    argument: 'state',
    counts: { calls: searches.length, distinctValues: 4, invalid: 0 },
  });

function unresolvedAdvice(facts: readonly LoggedCall[]): ExpectedAdvice[] {
  return [...shopAdvice(facts), ...ticketAdvice(facts), ...billingAdvice(facts)];
}

function shopAdvice(facts: readonly LoggedCall[]): ExpectedAdvice[] {
  const notes = callsOf(facts, SHOP, 'add_order_note');
  const again = findDuplicates(notes);
  return [
    expectAdviceOf('TD030', [SHOP, 'add_order_note'], {
      level: 'warning',
      counts: {
        calls: notes.length,
        duplicates: again.length,
        sessions: countDistinctSessions(again),
        sameResult: 0,
      },
      callsLost: again.length,
    }),
  ];
}

function ticketAdvice(facts: readonly LoggedCall[]): ExpectedAdvice[] {
  const finds = callsOf(facts, TICKETS, 'find_ticket');
  const confused = finds.filter(({ about }) => about === 'confused');
  const updates = callsOf(facts, TICKETS, 'update_ticket');
  const dueOn = { type: 'string', format: 'date', description: 'Day by which it has to be answered' };
  return [
    expectAdviceOf('TD007', [TICKETS, 'find_ticket'], {
      level: 'warning',
      counts: { calls: finds.length, confused: confused.length, sessions: countDistinctSessions(confused) },
      callsLost: confused.length,
    }),
    expectAdviceOf('TD014', [TICKETS, 'update_ticket'], {
      argument: 'due_on',
      counts: {
        calls: updates.length,
        sent: 0,
        sessions: countDistinctSessions(updates),
        definitionTokens: Math.ceil(JSON.stringify(dueOn).length / 4),
      },
    }),
  ];
}

function billingAdvice(facts: readonly LoggedCall[]): ExpectedAdvice[] {
  const quotes = callsOf(facts, BILLING, 'quote_price');
  const place = [BILLING, 'render_invoice'] as const;
  const errors = callsOf(facts, ...place).filter(isError).length;
  return [
    ...uncodedErrorAdvice(facts, place),
    expectAdviceOf('TD010', [BILLING, 'quote_price'], {
      argument: 'currency',
      counts: { calls: quotes.length, sent: quotes.length, sessions: countDistinctSessions(quotes) },
    }),
    expectAdviceOf('TD018', place, { level: 'error', counts: { errors, leaking: errors } }),
  ];
}

/** A tool that fails in prose alone, and agents that do not know what to do then. */
function uncodedErrorAdvice(
  facts: readonly LoggedCall[],
  place: readonly [string, string],
): ExpectedAdvice[] {
  const calls = callsOf(facts, ...place);
  const failures = calls.filter(isError);
  const errors = failures.length;
  const recovered = failures.filter((fact) => isRecovered(calls, fact)).length;
  const steps = failures.map((fact) => nextStep(facts, fact));
  const sameCall = steps.filter((step) => step === 'same').length;
  const gaveUp = steps.filter((step) => step === 'gave up').length;
  return [
    expectAdviceOf('TD016', place, {
      level: 'warning',
      counts: { errors, withoutCode: errors, recovered },
      // No failure is told twice: all that agents did not recover from is explained by TD017.
      callsLost: 0,
    }),
    expectAdviceOf('TD017', place, {
      counts: { errors, withRecovery: 0, withRetryable: 0, sameCall, gaveUp },
      callsLost: errors - recovered,
    }),
  ];
}
