// A service that does nothing but hold an engine, as a process of its own, to be killed by a test.
// Prints one line of JSON when the engine answers.

import pino from 'pino';
import { startEngine } from '../../src/service/engine/engine.ts';

const engine = await startEngine({ dataDirectory: process.argv[2] ?? '', log: pino({ level: 'silent' }) });
const { url, username, password } = engine;
console.log(JSON.stringify({ url, username, password, child: engine.pid() }));
