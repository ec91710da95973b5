// `toolscope import`: sends lines of OTLP/JSON to the running service, as `toolscope export` or a Collector's file exporter writes
// them. The service knows the calls that it has, so importing a file again changes nothing.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { UpstreamError, UserError } from '../errors.ts';
import type { Config } from '../service/config/settings.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { MAINTENANCE_OPTIONS, readMaintenanceConfig } from './maintenance-command.ts';
import { joinLines, writeResult } from './output.ts';
import { pause } from './pause.ts';
import { requestOrThrow } from './read-resource.ts';

const Document = z.looseObject({
  resourceSpans: z.array(
    z.looseObject({ scopeSpans: z.array(z.looseObject({ spans: z.array(z.unknown()) })).optional() }),
  ),
});
type Document = z.infer<typeof Document>;

const Answer = z.object({
  partialSuccess: z
    .object({ rejectedSpans: z.coerce.number(), errorMessage: z.string() })
    .partial()
    .optional(),
});

interface ImportResult {
  readonly lines: number;
  readonly spans: number;
  readonly refused: number;
  /** What the service says of refused spans, each once. */
  readonly reasons: readonly string[];
}

const RETRY_MS = 1_000;
/** A service that is busy or full for longer ends the import; it can be repeated. */
const MAX_RETRIES = 60;

export const importCalls: Command = {
  meta: {
    name: 'import',
    summary: 'send exported calls to the service; calls that it has are not counted again',
    argument: { name: 'file', description: 'A file of OTLP/JSON lines, or - for standard input.' },
    options: MAINTENANCE_OPTIONS,
    examples: ['toolscope import calls.ndjson', 'gunzip -c calls.ndjson.gz | toolscope import -'],
    exitCodes: [
      '  0   all spans were accepted',
      '  1   spans were refused, or the service did not answer',
      '  2   the command line or the file is invalid; the message names the line',
      '  70  a bug in Toolscope',
    ],
  },
  run: async (options, { stdin, stdout, signal }) => {
    const { config } = await readMaintenanceConfig(options);
    const input = options['file'] === '-' ? stdin : createReadStream(String(options['file']));
    const result = await importLines(config, input, signal);
    writeResult(stdout, options, { result, format: formatResult });
    return result.refused === 0 ? EXIT_CODES.ok : EXIT_CODES.found;
  },
};

async function importLines(config: Config, input: Readable, signal: AbortSignal): Promise<ImportResult> {
  let [lines, spans, refused] = [0, 0, 0];
  const reasons = new Set<string>();
  for await (const text of readLines(input)) {
    lines += 1;
    if (signal.aborted) break;
    if (text.trim() === '') continue;
    const document = parseLine(text, lines);
    const { partialSuccess } = await send(config, document, signal);
    spans += countSpans(document);
    refused += partialSuccess?.rejectedSpans ?? 0;
    if (partialSuccess?.errorMessage) reasons.add(partialSuccess.errorMessage);
  }
  return { lines, spans, refused, reasons: [...reasons].slice(0, 10) };
}

/** @throws UserError for a file that cannot be read */
async function* readLines(input: Readable): AsyncGenerator<string> {
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError('INVALID_PARAMETER', `The file cannot be read: ${reason}.`, { field: 'file' });
  }
}

function parseLine(text: string, line: number): Document {
  const problem = (what: string): UserError =>
    new UserError('INVALID_PARAMETER', `Line ${line} is ${what}.`, {
      field: 'file',
      hint: 'Each line is a document of OTLP/JSON, as toolscope export writes it.',
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problem('not JSON');
  }
  const parsed = Document.safeParse(value);
  if (!parsed.success) throw problem('not a document of OTLP/JSON with resourceSpans');
  return parsed.data;
}

async function send(
  config: Config,
  document: Document,
  signal: AbortSignal,
): Promise<z.infer<typeof Answer>> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { body } = await requestOrThrow(config, { path: '/v1/traces', body: document });
      return Answer.parse(body ?? {});
    } catch (error) {
      const isBusy = error instanceof UpstreamError && error.retryable;
      if (!isBusy || attempt === MAX_RETRIES || signal.aborted) throw error;
      await pause(RETRY_MS, signal);
    }
  }
}

const countSpans = ({ resourceSpans }: Document): number =>
  resourceSpans
    .flatMap(({ scopeSpans = [] }) => scopeSpans)
    .reduce((sum, { spans }) => sum + spans.length, 0);

function formatResult({ spans, refused, reasons }: ImportResult): string {
  const all = `Sent ${spans} ${spans === 1 ? 'span' : 'spans'}, ${refused} of them refused.`;
  return joinLines([all, ...reasons]);
}
