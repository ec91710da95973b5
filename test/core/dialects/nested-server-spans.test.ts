import { describe, expect, test } from 'vitest';
import { dropNestedServerSpans } from '../../../src/core/dialects/nested-server-spans.ts';
import type { OtlpSpan, SpanKind } from '../../../src/core/otlp/span.ts';

interface SpanSketch {
  readonly id: string;
  readonly under?: string;
  readonly kind?: SpanKind;
  readonly method?: string;
  readonly service?: string;
  readonly scope?: string;
  readonly trace?: string;
}

const toSpan = (sketch: SpanSketch): OtlpSpan => ({
  traceId: sketch.trace ?? 't',
  spanId: sketch.id,
  parentSpanId: sketch.under ?? '',
  name: '',
  kind: sketch.kind ?? 'server',
  startUs: 0,
  endUs: 1,
  attributes: sketch.method === '' ? {} : { 'mcp.method.name': sketch.method ?? 'tools/call' },
  events: [],
  links: [],
  status: { code: 0, message: '' },
  scope: { name: sketch.scope ?? 'fastmcp', version: '' },
  resource: { 'service.name': sketch.service ?? 's' },
});

describe('nested server spans of one request', () => {
  test.each<[string, SpanSketch[], string[]]>([
    ['a lone span stays', [{ id: 'a' }], ['a']],
    ['a mounted server’s span goes', [{ id: 'a' }, { id: 'b', under: 'a' }], ['a']],
    ['the inner one may come first', [{ id: 'b', under: 'a' }, { id: 'a' }], ['a']],
    [
      'only the outermost of three stays',
      [{ id: 'a' }, { id: 'b', under: 'a' }, { id: 'c', under: 'b' }],
      ['a'],
    ],
    [
      'an internal span in between changes nothing',
      [{ id: 'a' }, { id: 'd', under: 'a', kind: 'internal' }, { id: 'b', under: 'd' }],
      ['a', 'd'],
    ],
    [
      'a client span in between makes it a call of its own',
      [{ id: 'a' }, { id: 'c', under: 'a', kind: 'client' }, { id: 'b', under: 'c' }],
      ['a', 'c', 'b'],
    ],
    [
      'another method is another call',
      [
        { id: 'a', method: 'tools/list' },
        { id: 'b', under: 'a' },
      ],
      ['a', 'b'],
    ],
    [
      'another service is another server',
      [
        { id: 'a', service: 'x' },
        { id: 'b', under: 'a' },
      ],
      ['a', 'b'],
    ],
    [
      'another trace is another story',
      [
        { id: 'a', trace: 'u' },
        { id: 'b', under: 'a' },
      ],
      ['a', 'b'],
    ],
    [
      'an HTTP span is no call',
      [
        { id: 'a', method: '' },
        { id: 'b', under: 'a' },
      ],
      ['a', 'b'],
    ],
    [
      'a span of ours is a request on the wire',
      [{ id: 'a' }, { id: 'b', under: 'a', scope: 'toolscope' }],
      ['a', 'b'],
    ],
    ['a parent that is not here says nothing', [{ id: 'b', under: 'z' }], ['b']],
    ['a span under itself stays', [{ id: 'a', under: 'a' }], ['a']],
  ])('the outer spans are kept: %s', (_because, sketches, kept) => {
    const spans = sketches.map(toSpan);
    const result = dropNestedServerSpans(spans);
    expect(result.kept.map((span) => span.spanId)).toEqual(kept);
    expect(result.kept.length + result.dropped.length).toBe(spans.length);
  });

  test('a cycle of parents does not loop forever', () => {
    const spans = [
      toSpan({ id: 'a', under: 'b', method: 'x' }),
      toSpan({ id: 'b', under: 'c', method: 'y' }),
      toSpan({ id: 'c', under: 'b', method: 'z' }),
    ];
    expect(dropNestedServerSpans(spans).kept).toHaveLength(3);
  });
});
