// Reads the messages of one body: a JSON document, or an event stream, both perhaps compressed.

import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { createMessageTap } from '../message-tap.ts';
import { createEventStreamReader, type EventStreamListener } from './event-stream-reader.ts';

export interface BodyReader {
  push(chunk: Uint8Array): void;
  /** @param done called when the last message was read */
  end(done: () => void): void;
}

export interface BodyFormat {
  readonly contentType: string;
  /** Header `content-encoding`; '' if there is none. */
  readonly encoding: string;
}

export type BodyListener = Omit<EventStreamListener, 'onData' | 'onMessageEnd'> & {
  readonly onMessage: (message: unknown) => void;
};

/** Undefined when the encoding is not known: the body then stays unread. */
export function createBodyReader(
  { contentType, encoding }: BodyFormat,
  listener: BodyListener,
): BodyReader | undefined {
  const plain = isEventStream(contentType) ? createEventReader(listener) : createDocumentReader(listener);
  if (encoding === '' || encoding === 'identity') return plain;
  const decoder = DECODERS[encoding]?.();
  return decoder && createDecodingReader(decoder, plain);
}

export function isEventStream(contentType: string): boolean {
  return /^\s*text\/event-stream\b/i.test(contentType);
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const LINE_END = new Uint8Array([LF]);

/** A document over several lines is read as one: in JSON, a line break is only between values. */
function createDocumentReader({ onMessage }: BodyListener): BodyReader {
  const tap = createMessageTap(onMessage);
  return {
    push: (chunk) => tap.read(chunk.map((byte) => (byte === LF || byte === CR ? SPACE : byte))),
    end(done) {
      tap.end();
      done();
    },
  };
}

function createEventReader({ onMessage, ...listener }: BodyListener): BodyReader {
  const tap = createMessageTap(onMessage);
  const reader = createEventStreamReader({
    ...listener,
    onData: tap.read,
    onMessageEnd: () => tap.read(LINE_END),
  });
  // The data of an event that is not complete is not valid.
  return { push: reader.push, end: (done) => done() };
}

/** Each piece is decoded at once, because a compressed event stream is flushed after each event. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }),
  deflate: () => createInflate({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }),
  br: () =>
    createBrotliDecompress({
      flush: constants.BROTLI_OPERATION_FLUSH,
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
    }),
};

function createDecodingReader(decoder: Transform, plain: BodyReader): BodyReader {
  let onEnd: (() => void) | undefined;
  const finish = (): void => {
    const done = onEnd;
    onEnd = undefined;
    if (done) plain.end(done);
  };
  decoder.on('data', (chunk: Buffer) => plain.push(chunk));
  // A body that cannot be decoded ends here, as far as it was read.
  decoder.on('close', finish);
  decoder.on('error', finish);
  return {
    push: (chunk) => void (decoder.destroyed || decoder.write(chunk)),
    end(done) {
      onEnd = done;
      if (decoder.destroyed) finish();
      else decoder.end();
    },
  };
}
