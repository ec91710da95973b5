// Receivers in the rules file: the fields of each type. A secret is given as the name of an environment variable
// or the path of a file, so that the rules file can be committed; webhooks and Slack may also have it inline.

import { z } from 'zod';
import { isRecord } from '../../../core/values/is-record.ts';
import { textSchema } from '../text-schema.ts';
import { CONFIGURED_TYPES } from './receiver.ts';

const variable = textSchema(/^[A-Za-z_]\w{0,127}$/, 'the name of an environment variable').optional();
const path = textSchema(/^[^\0]{1,4096}$/, 'the path of a file').optional();
const inline = z.string({ error: 'text' }).optional();
const ADDRESS_FORMAT = 'an e-mail address, such as oncall@example.com or Toolscope <alerts@example.com>';
const address = textSchema(
  /^(?:[^<>\r\n]{0,200}<[^\s<>@]{1,64}@[^\s<>@]{1,255}>|[^\s<>@]{1,64}@[^\s<>@]{1,255})$/,
  ADDRESS_FORMAT,
);

const URL_FIELDS = { url: inline, urlEnv: variable, urlFile: path };
const TOKEN_FIELDS = { token: inline, tokenEnv: variable, tokenFile: path };

const ENTRIES = {
  webhook: { ...URL_FIELDS, ...TOKEN_FIELDS },
  alertmanager: { ...URL_FIELDS, tokenEnv: variable, tokenFile: path },
  slack: { ...URL_FIELDS, ...TOKEN_FIELDS },
  'slack-bot': {
    url: inline,
    tokenEnv: variable,
    tokenFile: path,
    channel: textSchema(/^[#\w.-]{1,80}$/, 'the id or name of a channel'),
  },
  discord: { urlEnv: variable, urlFile: path },
  teams: { urlEnv: variable, urlFile: path },
  pagerduty: { url: inline, routingKeyEnv: variable, routingKeyFile: path },
  opsgenie: { url: inline, apiKeyEnv: variable, apiKeyFile: path },
  email: {
    host: textSchema(/^[a-z0-9.-]{1,253}$|^\[[0-9a-f:.]+\]$/i, 'the name or address of a mail server'),
    port: z
      .int({ error: 'a port' })
      .min(1, { error: 'a port' })
      .max(65_535, { error: 'a port' })
      .default(587),
    encryption: z.enum(['tls', 'starttls', 'none'], { error: 'one of tls, starttls, none' }).optional(),
    user: textSchema(/^[^\r\n]{1,256}$/, 'the name of a user').optional(),
    passwordEnv: variable,
    passwordFile: path,
    caFile: path,
    from: address,
    to: z
      .array(address, { error: 'a list of e-mail addresses' })
      .min(1, { error: 'a list of e-mail addresses' })
      .max(50, { error: 'at most 50 e-mail addresses' }),
  },
  command: {
    command: z
      .array(textSchema(/^[^\0]{1,4096}$/, 'a list of a program and its arguments'), {
        error: 'a list of a program and its arguments',
      })
      .min(1, { error: 'a list of a program and its arguments' })
      .max(64, { error: 'at most 64 arguments' }),
  },
} as const satisfies Readonly<Record<(typeof CONFIGURED_TYPES)[number], z.ZodRawShape>>;

const TYPE_FORMAT = `one of ${CONFIGURED_TYPES.join(', ')}`;

export const ReceiverEntry = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('webhook'), ...ENTRIES.webhook }),
    z.strictObject({ type: z.literal('alertmanager'), ...ENTRIES.alertmanager }),
    z.strictObject({ type: z.literal('slack'), ...ENTRIES.slack }),
    z.strictObject({ type: z.literal('slack-bot'), ...ENTRIES['slack-bot'] }),
    z.strictObject({ type: z.literal('discord'), ...ENTRIES.discord }),
    z.strictObject({ type: z.literal('teams'), ...ENTRIES.teams }),
    z.strictObject({ type: z.literal('pagerduty'), ...ENTRIES.pagerduty }),
    z.strictObject({ type: z.literal('opsgenie'), ...ENTRIES.opsgenie }),
    z.strictObject({ type: z.literal('email'), ...ENTRIES.email }),
    z.strictObject({ type: z.literal('command'), ...ENTRIES.command }),
  ],
  { error: TYPE_FORMAT },
);
export type ReceiverEntry = z.infer<typeof ReceiverEntry>;

/** The fields that an entry of the rules file may have, by its type; only `type` if that is unknown. */
export function listReceiverFields(entry: unknown): readonly string[] {
  const type = isRecord(entry) ? entry['type'] : undefined;
  const known = CONFIGURED_TYPES.find((name) => name === type);
  return ['type', ...(known ? Object.keys(ENTRIES[known]) : [])];
}
