// The official TypeScript clients of both lines, through a task's whole life.
// Prints one line of JSON for each step. URL and TOKEN come from the environment;
// LINE is v1 or v2, or stdio with COMMAND.
import { readFileSync } from 'node:fs';

const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
const line = process.env.LINE;

async function connect() {
  const about = { name: `tq-rig-${line}`, version: '1.0.0' };
  if (line === 'v2') {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const client = new Client(about, process.env.MODE ? { versionNegotiation: { mode: process.env.MODE } } : {});
    await client.connect(new StreamableHTTPClientTransport(new URL(process.env.URL), { requestInit: { headers } }));
    return client;
  }
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new Client(about);
  if (line === 'stdio') {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    await client.connect(new StdioClientTransport({ command: process.env.COMMAND, env: { TQ_PIPES: process.env.TQ_PIPES } }));
    return client;
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  await client.connect(new StreamableHTTPClientTransport(new URL(process.env.URL), { requestInit: { headers } }));
  return client;
}

const say = (step, value) => console.log(JSON.stringify({ step, ...value }));
const client = await connect();
const call = async (name, args = {}, options) => {
  const result = line === 'v2'
    ? await client.callTool({ name, arguments: args }, options)
    : await client.callTool({ name, arguments: args }, undefined, options);
  return { error: result.isError === true, out: result.structuredContent, text: result.content[0].text };
};

say('connected', { server: client.getServerVersion()?.name, version: client.getNegotiatedProtocolVersion?.() ?? '' });
const { tools } = await client.listTools();
say('tools', { names: tools.map((t) => t.name) });
const big = '{"n": 9007199254740993, "exact": 1.0e2}';
say('enqueue', await call('tq_enqueue', { queue: 'rig', payload: JSON.parse('{"shard":1}'), idempotency_key: 'one' }));
say('again', await call('tq_enqueue', { queue: 'rig', payload: { shard: 1 }, idempotency_key: 'one' }));
let ticks = 0;
const claimed = await call('tq_claim', { queue: 'rig', worker: 'api' }, { onprogress: () => ticks++ });
say('claim', claimed);
say('extend', await call('tq_extend', { lease_token: claimed.out.lease_token, lease_seconds: 60, note: 'half' }));
say('list', await call('tq_tasks', { queue: 'rig' }));
say('complete', await call('tq_complete', { lease_token: claimed.out.lease_token, result: { ok: true } }));
say('twice', await call('tq_complete', { lease_token: claimed.out.lease_token, result: { ok: true } }));
say('other', await call('tq_complete', { lease_token: claimed.out.lease_token, result: { ok: false } }));
say('coerced', await call('tq_claim', { queue: 'rig', lease_seconds: '300' }));
say('empty', await call('tq_claim', { queue: 'rig', wait_seconds: 1 }));
say('read', { text: (await client.readResource({ uri: 'tq://queues/rig' })).contents[0].text });
say('prompt', { text: (await client.getPrompt({ name: 'worker', arguments: { queue: 'rig' } })).messages[0].content.text });
try {
  await client.callTool({ name: 'tq_nothing', arguments: {} });
  say('unknown', {});
} catch (e) {
  say('unknown', { code: e.code });
}
await client.close();
