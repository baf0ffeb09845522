import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { build } from 'esbuild'
import { document } from '../../lib/api/document.ts'
import { requestParts } from '../../lib/api/request-parts.ts'
import { clientDeclarations } from './declarations.ts'

/** Writes `dist/`: one module without dependencies, and its declarations. `npm pack` runs it first. */
const here = import.meta.dirname
const dist = path.join(here, 'dist')

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
await build({
  entryPoints: [path.join(here, 'index.ts')],
  outfile: path.join(dist, 'index.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  legalComments: 'none',
  plugins: [
    {
      name: 'routes-as-data',
      setup: ({ onLoad }) =>
        onLoad({ filter: /[\\/]lib[\\/]api[\\/]request-parts\.ts$/ }, () => ({
          contents: `export const requestParts = ${JSON.stringify(requestParts)}`,
          loader: 'js',
        })),
    },
  ],
})
writeFileSync(path.join(dist, 'index.d.ts'), clientDeclarations(document))
