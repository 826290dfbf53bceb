// The conformance suite imports fs.globSync, which Node.js has from version 22
// on; what it is used for is not run here. This gives it a name on Node.js 20.
import { register } from 'node:module';

const filled = 'data:text/javascript,' + encodeURIComponent(
  "export * from 'node:fs?itself'; export { default } from 'node:fs?itself'; export const globSync = () => [];");

register('data:text/javascript,' + encodeURIComponent(`
export async function resolve(name, context, next) {
  if (name === 'node:fs?itself') return { url: 'node:fs', format: 'builtin', shortCircuit: true };
  const suite = context.parentURL?.includes('/conformance/dist/');
  if (suite && (name === 'fs' || name === 'node:fs')) return { url: ${JSON.stringify(filled)}, shortCircuit: true };
  return next(name, context);
}`));
