import { expect, test } from 'vitest';
import { parseArgumentOrigins, parseArgumentSources } from '../../../src/core/model/argument-origin.ts';
import { createCallRandom } from '../../support/dataset/seeded-calls.ts';
import { playSession, toSpanId } from './play-session.ts';
import { createScriptedSession, type EdgeKind, type ScriptedSession } from './scripted-sessions.ts';

const SESSIONS = 400;

/** Edges that were found, as `call path source`. */
function findEdges({ calls }: ScriptedSession): string[] {
  return playSession(calls).flatMap(({ argumentOrigins, argumentSources }, call) => {
    const fed = parseArgumentOrigins(argumentOrigins).filter(({ source }) => source !== undefined);
    const ids = parseArgumentSources(argumentSources);
    return fed.map(({ path }, at) => `${call} ${path} ${ids[at]}`);
  });
}

const random = createCallRandom(13);
const sessions = Array.from({ length: SESSIONS }, () => createScriptedSession(random));
const counts = { found: 0, right: 0, all: 0, hit: 0 };
const byKind = new Map<EdgeKind, { all: number; hit: number }>();
for (const session of sessions) {
  const found = new Set(findEdges(session));
  const isTrue = new Set(
    session.edges.map(({ call, path, source }) => `${call} ${path} ${toSpanId(source)}`),
  );
  counts.found += found.size;
  counts.right += [...found].filter((edge) => isTrue.has(edge)).length;
  for (const { kind, call, path, source } of session.edges) {
    const own = byKind.get(kind) ?? { all: 0, hit: 0 };
    const isHit = found.has(`${call} ${path} ${toSpanId(source)}`);
    byKind.set(kind, { all: own.all + 1, hit: own.hit + (isHit ? 1 : 0) });
    counts.all += 1;
    counts.hit += isHit ? 1 : 0;
  }
}

test('of the edges found in scripted sessions, at least 98 of 100 are true', () => {
  expect(counts.found).toBeGreaterThan(SESSIONS);
  expect(counts.right / counts.found).toBeGreaterThanOrEqual(0.98);
});

// Short ids and other spellings are part of them.
test('of all true edges, at least 95 of 100 are found', () => {
  expect(counts.hit / counts.all).toBeGreaterThanOrEqual(0.95);
});

test.each<[EdgeKind, number]>([
  ['id', 0.9],
  ['text', 0.9],
  ['name', 0.9],
  ['in a URL', 0.9],
  ['out of a URL', 0.9],
  ['in prose', 0.9],
  ['other spelling', 0.9],
  ['short id', 0.9],
])('of the edges of kind "%s", at least %d are found', (kind, least) => {
  const { all, hit } = byKind.get(kind) ?? { all: 0, hit: 0 };
  expect(all).toBeGreaterThan(50);
  expect(hit / all, `${hit} of ${all}`).toBeGreaterThanOrEqual(least);
});
