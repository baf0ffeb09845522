import * as path from 'node:path'

const cache = path.join(import.meta.dirname, '../../node_modules/.cache')

/**
 * For the environment of programs that see nothing else of the machine: where Node keeps what it compiled, as `npm start`
 * does, and `npm run offline` its bundles, if anywhere. They start sooner, and are the same.
 */
export const compiled: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(cache, 'compiled'),
  ...(process.env.BUNDLES_KEPT ? { BUNDLES_KEPT: process.env.BUNDLES_KEPT } : {}),
}
