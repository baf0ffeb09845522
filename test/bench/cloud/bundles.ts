import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { packageStage } from '../../deploy/serverless.ts'
import { unzipBundle } from '../../deploy/zip.ts'
import { atMost, type Row } from '../row.ts'

const HTTP = [
  ...['tasks', 'queue', 'agents', 'notifications', 'auth', 'devices', 'settings', 'gateway'],
  ...['webhooks', 'memory', 'security', 'health', 'openapi', 'ui'],
]
/** Its zip has the files of the page as well, which are not its code. */
const WITH_FILES = 'ui'
const JOBS = ['notify', 'dlq', 'stream', 'tick'] as const
const LIMIT_KB = 600
const LIMIT_MS = 120
const ROUNDS = 9
/** A name that the AI SDK gives to all of its errors, which no minifier may touch. */
const AI_SDK = 'vercel.ai.error'

export type Bundles = ReturnType<typeof packBundles>

/** The bundle of each function that is a zip, as it is deployed, as a file; and the template that it is deployed by. */
export const packBundles = () => {
  const stage = packageStage('dev')
  const folder = mkdtempSync(path.join(tmpdir(), 'bundles-'))
  const bundleFile = (name: string) => path.join(folder, `${name}.mjs`)
  try {
    const all = [...HTTP, ...JOBS].map((name) => {
      const zip = stage.zip(name)
      const content = unzipBundle(zip, name)
      writeFileSync(bundleFile(name), content)
      const zipped = name === WITH_FILES ? gzipSync(content).length : zip.length
      return { name, zipped, hasAiSdk: content.includes(AI_SDK) }
    })
    return { all, bundleFile, template: stage.template, remove: () => rmSync(folder, { recursive: true }) }
  } finally {
    stage.remove()
  }
}

/** How large the zips of HTTP functions are, and how long a new process imports them; what must be in no bundle. */
export const bundleTargets = ({ all, bundleFile }: Bundles): Row[] => {
  const row = (measure: string, unit: string, ours: number, against: number, rounds?: number[]) => {
    const held = { measure, unit, ours, against, opponent: 'limit' }
    return atMost(1, rounds ? { ...held, rounds: { ours: rounds, against: [against] } } : held)
  }
  const http = all.filter(({ name }) => HTTP.includes(name))
  const withAiSdk = all.filter(({ hasAiSdk }) => hasAiSdk).length
  return [
    ...http.map(({ name, zipped }) => row(`zip of ${name}`, 'kB', zipped / 1_000, LIMIT_KB)),
    ...http.map(({ name }) => {
      // The first one reads the file from the disk, which is not what is measured.
      importMs(bundleFile(name))
      const rounds = Array.from({ length: ROUNDS }, () => importMs(bundleFile(name)))
      // What else runs on a machine only ever makes it longer.
      return row(`import of ${name}, least of ${ROUNDS}`, 'ms', Math.min(...rounds), LIMIT_MS, rounds)
    }),
    {
      measure: 'zips with the AI SDK in them',
      unit: '',
      ours: withAiSdk,
      against: 0,
      opponent: 'limit',
      ratio: withAiSdk,
      target: 'none',
      pass: withAiSdk === 0,
    },
  ]
}

/** Milliseconds that `import` takes in a process that has loaded nothing else. */
const importMs = (file: string): number => {
  const code = `const t = performance.now(); await import('${pathToFileURL(file).href}'); console.log(performance.now() - t)`
  const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' })
  return Number(answer)
}
