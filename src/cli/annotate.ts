// `toolscope annotate`: adds an annotation to every chart, from a deploy script or by hand. It needs a
// running service, which holds the store.

import { AnnotationRow } from '../contract/changes.ts';
import { UpstreamError } from '../errors.ts';
import { readControlFile } from '../service/data-directory/control-file.ts';
import type { Command, OptionValues } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { MAINTENANCE_OPTIONS, readMaintenanceConfig } from './maintenance-command.ts';
import { joinLines } from './output.ts';
import { requestService } from './request-service.ts';

export const annotate: Command = {
  meta: {
    name: 'annotate',
    summary: 'set a mark in time that every chart shows: a deploy, an incident, a note',
    argument: { name: 'text', description: 'What happened, in at most 200 characters.' },
    options: [
      { flags: '--kind <kind>', description: 'deploy, incident or note; deploy unless told.' },
      {
        flags: '--at <time>',
        description: 'An ISO 8601 time, epoch milliseconds, or now-5m; now unless told.',
      },
      { flags: '--server <name>', description: 'Only of this server.' },
      { flags: '--environment <name>', description: 'Only of this environment.' },
      ...MAINTENANCE_OPTIONS,
    ],
    examples: [
      'toolscope annotate "v1.4.2" --server notes',
      'toolscope annotate "search index lost" --kind incident --at now-20m',
    ],
  },
  run: async (options, { stdout }) => {
    const { config } = await readMaintenanceConfig(options);
    const control = readControlFile(config.dataDirectory);
    const response =
      control &&
      (await requestService(control, { path: 'annotations', body: toBody(options), token: config.token }));
    if (response?.status !== 'answered') {
      throw new UpstreamError(
        'NOT_READY',
        `No service runs on ${config.dataDirectory}. Start it with toolscope up.`,
        {
          retryable: true,
        },
      );
    }
    const row = AnnotationRow.parse(response.body);
    stdout.write(options['json'] === true ? `${JSON.stringify(row)}\n` : joinLines([formatAnnotation(row)]));
    return EXIT_CODES.ok;
  },
};

/** The service validates the values. */
function toBody({ text, kind, at, server, environment }: OptionValues): object {
  return JSON.parse(JSON.stringify({ text, kind, at, server, environment }));
}

function formatAnnotation({ id, at, kind, server, text }: AnnotationRow): string {
  return `${at.slice(0, 19)}Z  ${kind}${server === '' ? '' : ` of ${server}`}: ${text}  (${id})`;
}
