import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { chunkMarkdown } from '../../../lib/memory/chunker.ts'
import { repository } from '../paths.ts'

/** Packages of the lockfile whose documentation people read: the corpus is the same wherever it is installed. */
const PACKAGES = `
  @jest/diff-sequences @noble/ed25519 @pinojs/redact @pkgjs/parseargs @sinonjs/fake-timers @tanstack/react-router
  @tanstack/router-core ajv avvio axe-core big.js boxen braces buffer chalk chokidar ci-info cmdk commander cookie
  cron-parser croner cross-spawn debug dedent deepmerge dependency-cruiser dotenv emittery es-module-lexer
  eventsource-parser execa fast-check fast-glob fast-json-stringify fast-uri fastify fastq fflate find-my-way find-up
  fs-extra get-stream globby graceful-fs htmlparser2 human-signals ignore ipaddr.js jackspeak jest-diff jest-each
  jest-mock jest-worker jiti jose js-yaml json5 light-my-request lru-cache magic-string mdast-util-from-markdown
  memoizee micromark micromatch mime minimatch minipass minisearch nock node-fetch oauth4webapi p-memoize
  path-scurry picomatch pino playwright-core pngjs pretty-format prompts qrcode semver serverless-esbuild
  serverless-offline sonic-boom source-map-js streamx tapable tokenx type-fest undici uplot ws yargs
  yargs-parser yauzl yazl zod zod-openapi
`
  .trim()
  .split(/\s+/)

/** What no developer asks about, and the same documents in other languages. */
const PASSED_OVER =
  /license|changelog|changes|history|code_of_conduct|contributing|readme[.-](?!md\b)[a-z]{2}\b/i

export type Document = { path: string; text: string }

/** By code unit, so that the order is the same on every machine. */
const markdownBelow = (folder: string, isNested = false): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory())
        return entry.name === 'node_modules' && !isNested ? [] : markdownBelow(path, isNested)
      return entry.isFile() && /\.md$/i.test(entry.name) ? [path] : []
    })

const modules = join(repository, 'node_modules')
const documentAt = (file: string): Document => ({
  path: relative(modules, file),
  text: readFileSync(file, 'utf8'),
})

/** The documents that questions are asked of. */
export const documents = (): Document[] =>
  PACKAGES.flatMap((name) =>
    markdownBelow(join(modules, name))
      .filter((file) => !PASSED_OVER.test(basename(file)))
      .map(documentAt),
  )

/** Documents of `chunks` chunks together, those above first, then of all packages: figures of time need no labels. */
export const manyDocuments = (chunks: number): Document[] => {
  const asked = documents()
  const paths = new Set(asked.map(({ path }) => path))
  const others = markdownBelow(modules, true)
    .map(documentAt)
    .filter(({ path }) => !paths.has(path))
  const all: Document[] = []
  let left = chunks
  for (const document of [...asked, ...others]) {
    if (left <= 0) break
    const parts = chunkMarkdown(document.path, document.text)
    if (parts.length > left) continue
    all.push(document)
    left -= parts.length
  }
  if (left > 0) throw new Error(`The documentation in node_modules has ${left} chunks too few`)
  return all
}
