// Counts what a model has to read, with the public tokenizer of its makers
// (o200k_base): the list of tools, the instructions, a listing of 20 tasks.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

const client = new Client({ name: 'tokens', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.URL), {
  requestInit: { headers: { Authorization: `Bearer ${process.env.TOKEN}` } },
}));
const count = (value) => encode(typeof value === 'string' ? value : JSON.stringify(value)).length;
const { tools } = await client.listTools();
const listing = await client.callTool({ name: 'tq_tasks', arguments: { queue: 'work' } });
console.log(JSON.stringify({
  tools: count(tools),
  instructions: count(client.getInstructions()),
  structured: count(listing.structuredContent),
  text: count(listing.content[0].text),
  rows: listing.structuredContent.tasks.length,
}));
process.exit(0);
