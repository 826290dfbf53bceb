// Tries everything with a token for another queue, and prints in one word what
// each try saw.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const client = new Client({ name: 'stranger', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.URL), {
  requestInit: { headers: { Authorization: `Bearer ${process.env.TOKEN}` } },
}));
const saw = [];
for (const [name, args] of [
  ['tq_claim', { wait_seconds: 0 }], ['tq_claim', { queue: 'work', wait_seconds: 0 }],
  ['tq_tasks', {}], ['tq_tasks', { queue: 'work' }], ['tq_task', { id: 1 }],
  ['tq_cancel', { id: 1 }], ['tq_rescue', { id: 1 }], ['tq_enqueue', { queue: 'work' }], ['tq_run', { queue: 'work', wait_seconds: 0 }],
]) {
  const { structuredContent: out } = await client.callTool({ name, arguments: args });
  const empty = out.task === null || (out.tasks?.length === 0 && Object.keys(out.counts).length === 0);
  saw.push(out.code ?? (empty ? 'nothing' : JSON.stringify(out)));
}
for (const uri of ['tq://queues/work', 'tq://tasks/1']) {
  try {
    saw.push(JSON.stringify(await client.readResource({ uri })));
  } catch (e) {
    saw.push(e.code === -32002 ? 'nothing' : String(e.code));
  }
}
console.log(JSON.stringify(saw));
process.exit(0);
