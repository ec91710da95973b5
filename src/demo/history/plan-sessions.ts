// The sessions that begin in an hour: who begins them, with which client, on which server. Each hour has a seed of its
// own, so that the present continues where the history ended.

import { LOOPING_TASKS, TASKS, type Task } from './agent-tasks.ts';
import { createDice, type Dice } from './dice.ts';
import { SHOP } from './shop-server.ts';
import type { SimulatedServer } from './simulated-server.ts';
import { expectedSessions, type Story } from './story.ts';
import { DOCS, TICKETS } from './ticket-server.ts';

const HOUR_MS = 3_600_000;
const LOOPING_SHARE = 0.006;

export interface SimulatedSession {
  readonly id: string;
  readonly startMs: number;
  readonly server: SimulatedServer;
  readonly client: { readonly name: string; readonly version: string };
  readonly user: string;
  /** '' if the client sends none. */
  readonly planId: string;
  readonly task: Task;
  readonly dice: Dice;
}

const SERVERS = { shop: SHOP, tickets: TICKETS, docs: DOCS } as const;
type ServerKey = keyof typeof SERVERS;

/** @param hourMs the beginning of a whole hour. @returns sessions by their start */
export function planSessions(story: Story, hourMs: number, seed: string): readonly SimulatedSession[] {
  const dice = createDice(`${seed} ${hourMs}`);
  const average = expectedSessions(hourMs);
  const sessions = Math.round(average * (0.75 + 0.5 * dice.next()));
  return Array.from({ length: sessions }, () => planRun(story, hourMs, dice))
    .flat()
    .sort((a, b) => a.startMs - b.startMs);
}

/** One user's agent: a session, or two on different servers that belong to one plan. */
function planRun(story: Story, hourMs: number, dice: Dice): SimulatedSession[] {
  const startMs = hourMs + dice.between(0, HOUR_MS - 1);
  const user = pickUser(dice);
  const client = toClient(user, { startMs, story });
  const servers = pickServers(dice);
  const planId = client.name === 'support-bot' ? `run-${dice.hex(6)}` : '';
  const loops = startMs < story.endMs - HOUR_MS && dice.chance(LOOPING_SHARE);
  return servers.map((server, at) => {
    const id = dice.hex(8);
    return {
      ...{ id, client, planId, server: SERVERS[server] },
      startMs: startMs + at * 20_000,
      user: `user-${user}@example.com`,
      task: dice.pick<Task>(loops ? LOOPING_TASKS[server] : TASKS[server]),
      dice: createDice(id),
    };
  });
}

function pickServers(dice: Dice): readonly ServerKey[] {
  const draw = dice.next();
  if (draw < 0.45) return ['shop'];
  if (draw < 0.75) return ['tickets'];
  return draw < 0.88 ? ['tickets', 'shop'] : ['docs'];
}

const USERS = 24;

/** A few users work with agents all day, most now and then. */
const pickUser = (dice: Dice): number => Math.floor(USERS * dice.next() ** 2);

interface ClientOptions {
  readonly startMs: number;
  readonly story: Story;
}

function toClient(user: number, { startMs, story }: ClientOptions): SimulatedSession['client'] {
  if (user % 4 === 1) return { name: 'support-bot', version: '0.9.2' };
  if (user % 4 === 2) return { name: 'cursor', version: '1.7.4' };
  if (user % 8 === 3 && startMs >= story.newClientMs) return { name: 'gemini-cli', version: '0.8.1' };
  if (user % 4 === 3) return { name: 'vscode', version: '1.104.0' };
  return { name: 'claude-desktop', version: startMs < story.newToolsMs ? '0.12.55' : '0.13.11' };
}
