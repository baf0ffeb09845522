import { existsSync } from 'node:fs'
import * as path from 'node:path'

/** Builds the page after `npm ci`. An installation without what is for development only has nothing to build it with. */
const packages = path.join(import.meta.dirname, '../../node_modules')
if (existsSync(path.join(packages, 'vite'))) {
  const { build } = await import('vite')
  await build({ configFile: path.join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })
} else {
  console.error('The page is not built: vite is not installed (npm ci without --omit=dev brings it)')
}
