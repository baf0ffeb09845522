import { readFileSync } from 'node:fs'

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
const versionOf = (manifest) => JSON.stringify({ version: JSON.parse(manifest).version })

const rewritten = (name, filter, loader, rewrite) => ({
  name,
  setup: ({ onLoad }) =>
    onLoad({ filter }, ({ path }) => ({ contents: rewrite(readFileSync(path, 'utf8')), loader })),
})

/** Plugins of esbuild that remove what a bundle does not need. */
// biome-ignore lint/style/noDefaultExport: plugins are loaded by path.
export default [
  rewritten('plain-keys', /\/client-[a-z0-9]+\/dist-es\/schemas\/\w+\.js$/, 'js', plainKeys),
  rewritten('version-of-manifest', /\/package\.json$/, 'json', versionOf),
]
