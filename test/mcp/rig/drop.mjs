// Begins claims of 55 s and gives each up, in the ways that clients do: by a
// time-out of the request, which sends a cancellation, and by closing the
// connection. Ends when the hub has heard of all.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
const url = new URL(process.env.URL);
const half = Number(process.env.CLAIMS) / 2;

const client = new Client({ name: 'drops', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
const waiting = { name: 'tq_claim', arguments: { queue: 'work', wait_seconds: 55 } };
await Promise.all(Array.from({ length: half }, () => client.callTool(waiting, undefined, { timeout: 500 }).catch(() => 0)));

const version = '2026-07-28';
const body = (id) => JSON.stringify({
  jsonrpc: '2.0', id, method: 'tools/call',
  params: {
    ...waiting,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'drops', version: '1' },
    },
  },
});
await Promise.all(Array.from({ length: half }, (_, id) => fetch(url, {
  method: 'POST', body: body(id), signal: AbortSignal.timeout(500),
  headers: {
    ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'tq_claim',
  },
}).then((r) => r.text()).catch(() => 0)));

// An answer to a later request of the same session: the cancellations before
// it were heard.
await client.callTool({ name: 'tq_tasks', arguments: { queue: 'work' } });
await new Promise((done) => { setTimeout(done, 2000); });
console.log('dropped');
process.exit(0);
