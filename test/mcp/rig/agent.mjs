// An agent that knows nothing but what the server tells it: it looks its tools
// up in the list, sends no argument and reads no field that is not promised
// there. It fans eight shards out, does them with another in turns, and joins
// them. Prints the transcript.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

async function connect(name) {
  const client = new Client({ name, version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(process.env.URL), {
    requestInit: { headers: { Authorization: `Bearer ${process.env.TOKEN}` } },
  }));
  return client;
}

const client = await connect('agent');
const tools = new Map((await client.listTools()).tools.map((t) => [t.name, t]));

// promised reads a field that the list says an answer has.
const promised = (tool, out, field) => {
  if (!tools.get(tool).outputSchema.properties[field]) throw new Error(`${tool} promises no ${field}`);
  return out[field];
};
const hide = (text) => text
  .replace(/"lease_token":"[^"]+"/g, '"lease_token":"…"')
  .replace(/"[0-9-]+T[0-9:.]+Z"/g, '"…"')
  .replace(/ [0-9]+m [0-9]+s left/g, ' 5m left');
async function call(tool, args) {
  for (const name of Object.keys(args)) {
    if (!tools.get(tool).inputSchema.properties[name]) throw new Error(`${tool} takes no ${name}`);
  }
  const r = await client.callTool({ name: tool, arguments: args });
  console.log(`→ ${tool} ${hide(JSON.stringify(args))}`);
  console.log(`← ${r.isError ? 'refused ' : ''}${hide(r.content[0].text)}`);
  return r.structuredContent;
}

const shards = Array.from({ length: 4 }, (_, i) => ({ payload: { shard: i + 1 }, idempotency_key: `shard-${i + 1}` }));
const join = { type: 'join', payload: 'add up', deps: ['$0', '$1', '$2', '$3'] };
const fan = await call('tq_enqueue_batch', { queue: 'tests', type: 'shard', tasks: [...shards, join] });
const ids = promised('tq_enqueue_batch', fan, 'ids');

for (let turn = 1; ; turn++) {
  const got = await call('tq_claim', { queue: 'tests', worker: turn % 2 ? 'api' : 'web', wait_seconds: 0 });
  const task = promised('tq_claim', got, 'task');
  if (!task) break;
  const lease_token = promised('tq_claim', got, 'lease_token');
  if (turn === 2) {
    await call('tq_fail', { lease_token, error: 'flaky', retry_delay_seconds: 0 });
    await call('tq_complete', { lease_token, result: 'too late' });
    continue;
  }
  if (turn === 3) await call('tq_extend', { lease_token, note: 'half way' });
  const sum = task.deps ? task.deps.reduce((n, d) => n + (d.result?.passed ?? 0), 0) : 0;
  await call('tq_complete', { lease_token, result: task.deps ? { passed: sum } : { passed: task.payload.shard } });
}
await call('tq_task', { id: ids[4] });
await call('tq_tasks', { queue: 'tests' });
process.exit(0);
