// Queries one address again and again, each time over a connection of its own, in a thread of its own: a sender that writes a body of
// 5,000 spans keeps its thread for 90 to 150 ms, and a clock that stands beside it would count that as the service's. Plain
// JavaScript, since a thread of Node 20 loads nothing that has to be compiled first.
import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, everyMs, giveUpMs } = workerData;
const took = [];
let isOver = false;

parentPort.once('message', () => {
  isOver = true;
});
parentPort.postMessage('started');
while (!isOver) {
  took.push(await probeOnce());
  await new Promise((resolve) => setTimeout(resolve, everyMs));
}
parentPort.postMessage(took);

/** @returns milliseconds until the whole answer was here; Infinity where there was none, or another than 200 */
function probeOnce() {
  const started = performance.now();
  return new Promise((resolve) => {
    const sent = request(url, { agent: false, timeout: giveUpMs }, (response) => {
      response.resume();
      response.once('end', () =>
        resolve(response.statusCode === 200 ? performance.now() - started : Number.POSITIVE_INFINITY),
      );
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(Number.POSITIVE_INFINITY));
    sent.end();
  });
}
