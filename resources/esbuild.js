import { readFileSync } from 'node:fs'

/** What esbuild is told beside its options (`custom.esbuild` in serverless.yml): what of its packages no function needs. */

const onLoad = (name, filter, contentsOf, loader = 'js') => ({
  name,
  setup: (build) => {
    build.onLoad({ filter }, ({ path }) => ({ contents: contentsOf(readFileSync(path, 'utf8')), loader }))
  },
})

/**
 * The clients of AWS describe every operation with keys that are constants: `{ [_hH]: … }`. A computed key may have an
 * effect, so esbuild keeps the descriptions of all operations, 60 kB of S3 alone; a literal key has none.
 */
const literalKeys = (source) => {
  const constants = new Map(
    [...source.matchAll(/^const (_\w+) = ("[^"\\]*");$/gm)].map(([, name, text]) => [name, text]),
  )
  return source.replace(/\[(_\w+)\](?=:)/g, (key, name) => constants.get(name) ?? key)
}

/** Of a client's package.json it reads the version only, for its user agent. */
const versionOnly = (source) => JSON.stringify({ version: JSON.parse(source).version })

/** The thread that pino writes from when it is given a transport; it is given none. */
const noThread = () => 'module.exports = class { constructor() { throw new Error("No transports here") } }'

/** What pino masks paths with when it is given some; it is given none, lib/core/redact.ts masks more. */
const noRedaction = () => 'module.exports = () => { throw new Error("No paths to mask here") }'

/** No operation that a function asks of AWS streams events; only the client of S3 is set up for one that does. */
const noEventStreams = () => `
  export const eventStreamSerdeProvider = () => undefined
  export const resolveEventStreamSerdeConfig = (input) => input
  export class EventStreamSerde { constructor() { throw new Error('No event streams here') } }`

/** Where DynamoDB would keep what other addresses it was told of; nobody has it ask for any. */
const noOtherEndpoints = () => `
  export class EndpointCache { getEndpoint() {} get() {} has() { return false } set() {} delete() {} clear() {} }`

/** Every schema of zod carries the means to describe itself as JSON Schema. The API's description is a file by now. */
const noJsonSchema = (source) => {
  const declared = [...source.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name)
  const renamed = [...source.matchAll(/^export \{ \w+ as (\w+) \};$/gm)].map(([, name]) => name)
  const refuse = "const refuse = () => { throw new Error('No JSON Schema here') }"
  return [refuse, ...[...declared, ...renamed].map(stubOf)].join('\n')
}
const stubOf = (name) => `const stub_${name} = () => refuse; export { stub_${name} as ${name} }`

const plugins = [
  onLoad(
    'literal-keys',
    /@aws-sdk[\\/]client-[\w-]+[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/,
    literalKeys,
  ),
  onLoad(
    'no-json-schema',
    /zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/,
    noJsonSchema,
  ),
  onLoad('version-only', /@aws-sdk[\\/][\w-]+[\\/]package\.json$/, versionOnly, 'json'),
  onLoad('no-redaction', /@pinojs[\\/]redact[\\/]index\.js$/, noRedaction),
  onLoad(
    'no-event-streams',
    /@smithy[\\/]core[\\/]dist-es[\\/]submodules[\\/]event-streams[\\/]index\.js$/,
    noEventStreams,
  ),
  onLoad(
    'no-other-endpoints',
    /@aws-sdk[\\/]endpoint-cache[\\/]dist-es[\\/]EndpointCache\.js$/,
    noOtherEndpoints,
  ),
  onLoad('no-thread', /node_modules[\\/]thread-stream[\\/]index\.js$/, noThread),
]

// What `require` of this module answers, which is how the plugin of the framework loads it.
export { plugins as 'module.exports' }
