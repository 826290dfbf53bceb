// One agent of a fleet: claims, works a moment, settles, until the queue is
// empty three times. It misbehaves by a seed: gives up on claims, completes
// twice. Prints a line for each thing that it holds or has settled.
// LINE says which of the official clients it is: v1 speaks the older era, v2 the
// newer.
const v2 = process.env.LINE === 'v2';
const { Client, StreamableHTTPClientTransport } = v2
  ? await import('@modelcontextprotocol/client')
  : { ...await import('@modelcontextprotocol/sdk/client/index.js'), ...await import('@modelcontextprotocol/sdk/client/streamableHttp.js') };

const { URL: url, TOKEN: token, NAME: name, QUEUE: queue } = process.env;
let seed = Number(process.env.SEED);
const random = () => { // mulberry32
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const say = (what, id) => process.stdout.write(`${JSON.stringify({ what, id, name })}\n`);
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

const client = new Client({ name, version: '1.0.0' }, v2 ? { versionNegotiation: { mode: 'auto' } } : {});
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
const call = async (tool, args, options) => {
  const what = { name: tool, arguments: args };
  const r = v2 ? await client.callTool(what, options) : await client.callTool(what, undefined, options);
  return { ...r.structuredContent, failed: r.isError === true };
};

say('ready', 0);
for (let empty = 0; empty < 3;) {
  const wait = random() < 0.1 ? Number(process.env.LONGEST) : 1; // some polls are as long as they may be
  let got;
  try {
    // In one of ten the agent gives up before the answer can be there.
    got = await call('tq_claim', { queue, worker: name, wait_seconds: wait, lease_seconds: 5 },
      random() < 0.1 ? { signal: AbortSignal.timeout(1 + Math.floor(random() * 20)) } : {});
  } catch {
    say('gave up', 0);
    continue;
  }
  if (!got.task) {
    empty += got.counts?.ready || got.counts?.running || got.counts?.scheduled ? 0 : 1;
    continue;
  }
  say('holds', got.task.id);
  await pause(random() * 20);
  const fate = random();
  if (fate < 0.1) {
    await call('tq_fail', { lease_token: got.lease_token, error: 'by chance', retry_delay_seconds: 0 });
    say('failed', got.task.id);
    continue;
  }
  const settle = () => call('tq_complete', { lease_token: got.lease_token, result: { by: name } });
  const first = await settle();
  say(first.failed ? `refused ${first.code}` : 'done', got.task.id);
  if (fate < 0.3) {
    const second = await settle();
    if (!first.failed && !second.replayed) say('twice', got.task.id);
  }
}
say('ends', 0);
await client.close();
process.exit(0);
