import { readFileSync } from 'node:fs'

/**
 * The names that schemas of an SDK client give to their traits are constants, written as computed keys (`[_hQ]: 1`). To the
 * bundler a computed key may have side effects, so it would keep the schemas of all commands: 68 kB of S3's, for five.
 */
const plainKeys = (source) => {
  const texts = new Map(
    [...source.matchAll(/^const (_\w+) = ("[^"\\]*");$/gm)].map(([, name, text]) => [name, text]),
  )
  return source.replaceAll(/\[(_\w+)\]:/g, (key, name) => (texts.has(name) ? `${texts.get(name)}:` : key))
}

/** What code asks a manifest for is its version; bundles would have the list of dependencies in them. */
const versionOf = (manifest) => JSON.stringify({ version: JSON.parse(manifest).version })

const rewritten = (name, filter, loader, rewrite) => ({
  name,
  setup: ({ onLoad }) =>
    onLoad({ filter }, ({ path }) => ({ contents: rewrite(readFileSync(path, 'utf8')), loader })),
})

/** Plugins of esbuild: what bundles can do without, and the bundler cannot know of. */
// biome-ignore lint/style/noDefaultExport: plugins are loaded by path.
export default [
  rewritten('plain-keys', /\/client-[a-z0-9]+\/dist-es\/schemas\/\w+\.js$/, 'js', plainKeys),
  rewritten('version-of-manifest', /\/package\.json$/, 'json', versionOf),
]
