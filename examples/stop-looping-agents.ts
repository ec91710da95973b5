// An orchestrator that follows the loops of a server and stops the agents that are in one.
//
//   npx tsx examples/stop-looping-agents.ts weather

const endpoint = process.env['TOOLSCOPE_ENDPOINT'] ?? 'http://127.0.0.1:4318';
const server = process.argv[2] ?? 'weather';

const response = await fetch(`${endpoint}/api/v1/stream?${new URLSearchParams({ server })}`);
if (!response.ok || !response.body) throw new Error(`The stream answered ${response.status}.`);
process.stdout.write(`Following the loops of ${server}\n`);

let text = '';
for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
  const events = `${text}${chunk}`.split('\n\n');
  text = events.pop() ?? '';
  for (const [, data = '{}'] of events.flatMap((event) => [
    ...event.matchAll(/^event: loop\ndata: (.*)$/gm),
  ])) {
    const loop = JSON.parse(data);
    if (loop.severity === 'confirmed' && loop.state === 'active')
      // Here the agent of that session is ended.
      process.stdout.write(`Stop session ${loop.sessionId}: ${loop.sentence}\n`);
  }
}
