import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { evaluateAtBuild } from './build/evaluate.ts'
import { guides } from './build/guides.ts'
import { precompress } from './build/precompress.ts'

const root = path.join(import.meta.dirname, 'app')
/** The table of named characters of Markdown: the form that needs no document. */
const decoder = fileURLToPath(import.meta.resolve('decode-named-character-reference'))
/** What `vite` in development passes requests of the API on to: a started service. */
const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000'

export default defineConfig({
  root,
  // Nothing is inlined: the page's Content-Security-Policy knows files of its own origin only.
  build: {
    outDir: path.join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // `use client` means something to servers that render React; there is none.
      onLog: (level, log, say) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && say(level, log),
      output: {
        // What every view needs is two files, of which the one with the libraries stays the same from release to release.
        // Else it is some thirty, since each set of views that shares a module has a file of its own.
        codeSplitting: {
          groups: [
            { name: 'libraries', tags: ['$initial'], test: /node_modules/, priority: 1 },
            { name: 'page', tags: ['$initial'] },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    // The pages of docs/ are outside of the root.
    fs: { allow: [path.join(import.meta.dirname, '../..')] },
    // The service refuses what pages of another origin write, and this one is another.
    proxy: { '/api': { target: service, changeOrigin: true, headers: { origin: service } } },
  },
  worker: { format: 'es' },
  resolve: {
    // For browsers it has a form that asks the document, which a worker has none of.
    alias: { 'decode-named-character-reference': decoder },
  },
  plugins: [tailwindcss(), evaluateAtBuild(path.join(root, 'data/at-build.ts')), guides(), precompress()],
})
