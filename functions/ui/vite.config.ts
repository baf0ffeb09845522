import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { evaluateAtBuild } from './build/evaluate.ts'
import { guides } from './build/guides.ts'
import { precompress } from './build/precompress.ts'

const root = path.join(import.meta.dirname, 'app')
/** The entity table for Markdown: the variant that needs no document. */
const decoder = fileURLToPath(import.meta.resolve('decode-named-character-reference'))
/** In development, API requests are proxied to a started service. */
const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000'

export default defineConfig({
  root,
  // Nothing is inlined: the page's Content-Security-Policy allows files of its own origin only.
  build: {
    outDir: path.join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // `use client` directives are for servers that render React.
      onLog: (level, log, say) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && say(level, log),
      output: {
        // Shared code is two chunks, of which the libraries rarely change. Without this, each set of views that shares a module gets a
        // chunk of its own, some thirty in all.
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
    // docs/ is outside of the root.
    fs: { allow: [path.join(import.meta.dirname, '../..')] },
    // The service rejects writes from other origins, such as the dev server.
    proxy: { '/api': { target: service, changeOrigin: true, headers: { origin: service } } },
  },
  worker: { format: 'es' },
  resolve: {
    // The browser variant needs a document, which workers lack.
    alias: { 'decode-named-character-reference': decoder },
  },
  plugins: [tailwindcss(), evaluateAtBuild(path.join(root, 'data/at-build.ts')), guides(), precompress()],
})
