import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/**
 * Schemas of an SDK client name their traits by constants in computed keys (`[_hQ]: 1`). The bundler assumes that a
 * computed key may have side effects, so it would keep the schemas of all commands: 68 kB for five commands of S3.
 */
const plainKeys = (source) => {
  const texts = new Map(
    [...source.matchAll(/^const (_\w+) = ("[^"\\]*");$/gm)].map(([, name, text]) => [name, text]),
  )
  return source.replaceAll(/\[(_\w+)\]:/g, (key, name) => (texts.has(name) ? `${texts.get(name)}:` : key))
}

/** Code reads only the version of a manifest; bundles would contain its list of dependencies. */
const versionAlone = (manifest) => JSON.stringify({ version: JSON.parse(manifest).version })

/**
 * Modules that a bundle contains as the plain data that they export, without what that is computed with: every contract,
 * zod and its conversion to OpenAPI.
 */
const computed = {
  name: 'computed',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]lib[\\/]api[\\/](?:document|places)\.ts$/ }, async ({ path }) => {
      const exported = Object.entries(await import(pathToFileURL(path).href))
      const lines = exported.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
      return { contents: lines.join('\n'), loader: 'js' }
    }),
}

/** The package exports all that it has, `fetch` and caches among it, from one module in CommonJS. */
const undici = {
  name: 'undici',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: 'undici' }))
    onLoad({ filter: /.*/, namespace: 'undici' }, () => ({
      contents: [
        "import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'",
        "import request from 'undici/lib/api/api-request.js'",
        'Dispatcher.prototype.request = request',
        "export { default as Client } from 'undici/lib/dispatcher/client.js'",
        "export { default as buildConnector } from 'undici/lib/core/connect.js'",
      ].join('\n'),
      resolveDir: process.cwd(),
    }))
  },
}

/**
 * `import 'node:http'` reads every export of it, and one of them loads the `fetch` of Node, for 10 ms of each cold start.
 */
const builtins = {
  name: 'builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(?:node:)?http$/ }, () => ({ path: 'node:http', namespace: 'builtin' }))
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
  },
}

const rewritten = (name, filter, loader, rewrite) => ({
  name,
  setup: ({ onLoad }) =>
    onLoad({ filter }, ({ path }) => ({ contents: rewrite(readFileSync(path, 'utf8')), loader })),
})

/** Plugins of esbuild that keep bundles small. */
// biome-ignore lint/style/noDefaultExport: plugins are loaded by path.
export default [
  computed,
  undici,
  builtins,
  // An experimental parser of undici, which reads answers by another one unless a client asks for this.
  rewritten('experimental-parser', /[\\/]undici[\\/]lib[\\/]milo[\\/]/, 'js', () => ''),
  // The parser of undici for processors without SIMD: those of Lambda have it.
  rewritten(
    'plain-parser',
    /[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp-wasm\.js$/,
    'js',
    () => "module.exports = require('./llhttp_simd-wasm.js')",
  ),
  // QR codes are drawn as SVG: the encoder of PNG is left out.
  rewritten('qr-png', /[\\/]qrcode[\\/]lib[\\/]renderer[\\/]png\.js$/, 'js', () => ''),
  rewritten('plain-keys', /\/client-[a-z0-9]+\/dist-es\/schemas\/\w+\.js$/, 'js', plainKeys),
  rewritten('version-of-manifest', /\/package\.json$/, 'json', versionAlone),
]
