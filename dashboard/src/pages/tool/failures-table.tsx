// The table view of the failures: every failure and what agents did next, one row each.
import type { FailureGroup } from '../../../../src/contract/tool.ts';
import type { ExportTable } from '../../components/data-table.tsx';
import { formatOutcome } from '../../components/outcome-badge.tsx';
import { countColumn, textColumn, timeColumn } from '../../components/table-columns.tsx';
import type { Zone } from '../../format/format-time.ts';

export function toFailuresTable(failures: readonly FailureGroup[], zone: Zone): ExportTable<FailureGroup> {
  return {
    label: 'Failures and what agents did next',
    rows: failures,
    keyOf: ({ id }) => id,
    columns: [
      {
        ...textColumn<FailureGroup>(['message', 'Message'], ({ template }) => template),
        cell: ({ template, outcome }) => template || formatOutcome(outcome),
      },
      textColumn(['outcome', 'Outcome'], ({ outcome }) => outcome),
      textColumn(['code', 'Code'], ({ code }) => code),
      textColumn(['argument', 'Argument'], ({ argument }) => argument),
      countColumn(['failures', 'Failures'], ({ count }) => count),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      countColumn(['nextKnown', 'Next known'], ({ next }) => next.n),
      countColumn(['sameCallAgain', 'Same call again'], ({ next }) => next.sameCall),
      countColumn(['gaveUp', 'Gave up'], ({ next }) => next.gaveUp),
      countColumn(['anotherTool', 'Another tool'], ({ next }) => next.otherTool),
      countColumn(['changedArguments', 'Changed arguments'], ({ next }) => next.changedArguments),
      countColumn(['recovered', 'Recovered'], ({ next }) => next.recovered),
      timeColumn(['firstSeenAt', 'First'], ({ firstSeenAt }) => firstSeenAt, { zone }),
      timeColumn(['lastSeenAt', 'Last'], ({ lastSeenAt }) => lastSeenAt, { zone }),
    ],
  };
}
