// What a record of a segment holds, told by its first character: items of `resourceSpans` as they would be sent (`{`), a template of
// calls (`T`), or calls that fill one in (`C`). The latter two save a host 600 of 800 bytes for each call.

import { type CallTemplate, fillTemplate } from '../../core/dialects/answered-call-json.ts';
import type { SegmentRecord } from '../../segment-log/frame.ts';

/** @param number by which the calls of the same file refer to it */
export function toTemplateText(number: number, template: CallTemplate): string {
  return `T${number}\t${JSON.stringify(template)}`;
}

/** One line of a record of calls. @param fieldsText as `toFieldsText` writes it */
export function toCallLine(templateNumber: number, fieldsText: string): string {
  return `\n${templateNumber}\t${fieldsText}`;
}

/** @param lines of `toCallLine`, one after the other */
export function toCallsText(lines: string): string {
  return `C${lines}`;
}

export interface RecordReader {
  /** Items of `resourceSpans`. Records are read in the order of the file. */
  items(record: Pick<SegmentRecord, 'payload'>): readonly Uint8Array[];
  /** Calls whose template is missing. */
  readonly unreadable: number;
}

const TEMPLATE = 'T'.charCodeAt(0);
const CALLS = 'C'.charCodeAt(0);

/** Reads the records of one segment. */
export function createRecordReader(): RecordReader {
  const templates = new Map<string, CallTemplate>();
  let unreadable = 0;

  function addTemplate(text: string): void {
    const [number = '', json = ''] = split(text);
    // We wrote it, and its checksum is right.
    templates.set(number, JSON.parse(json) as CallTemplate);
  }

  function readCall(line: string): readonly Uint8Array[] {
    const [number = '', fieldsText = ''] = split(line);
    const template = templates.get(number);
    const item = template && fillTemplate(template, fieldsText);
    if (item !== undefined) return [Buffer.from(item)];
    unreadable += 1;
    return [];
  }

  return {
    items({ payload }) {
      const text = () => Buffer.from(payload.subarray(1)).toString();
      if (payload[0] === CALLS) return text().split('\n').slice(1).flatMap(readCall);
      if (payload[0] !== TEMPLATE) return [payload];
      addTemplate(text());
      return [];
    },
    get unreadable() {
      return unreadable;
    },
  };
}

/** At the first tab. */
function split(text: string): readonly string[] {
  const at = text.indexOf('\t');
  return [text.slice(0, at), text.slice(at + 1)];
}
