import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { endToEnd } from './e2e.ts'
import { getOne } from './get.ts'
import { listPage } from './list-page.ts'
import { memory } from './memory.ts'
import { type MeasureName, type Options, readOptions } from './options.ts'
import { cacheDir } from './paths.ts'
import { programPath } from './program.ts'
import { readiness } from './readiness.ts'
import type { Row } from './row.ts'
import { scale } from './scale.ts'
import { search } from './search.ts'
import { table } from './table.ts'

type Measure = { run: (options: Options) => Promise<Row[]>; needs?: Parameters<typeof programPath>[0] }

const measures: Record<MeasureName, Measure> = {
  e2e: { run: endToEnd, needs: 'redis-server' },
  get: { run: getOne, needs: 'wrk' },
  page: { run: listPage, needs: 'wrk' },
  scale: { run: scale },
  search: { run: search },
  memory: { run: memory },
  start: { run: readiness },
}

const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2))
  // Asked before anything runs, so that ten minutes of measuring do not end in "wrk is missing".
  for (const name of options.only) {
    const { needs } = measures[name]
    if (needs) programPath(needs)
  }
  const rows: Row[] = []
  for (const name of options.only) {
    console.error(`${name} …`)
    rows.push(...(await measures[name].run(options)))
  }
  console.log(table(rows))
  console.log(`\n${save(options, rows)}`)
  process.exit(rows.every(({ pass }) => pass) ? 0 : 1)
}

const save = (options: Options, rows: readonly Row[]): string => {
  const file = join(cacheDir, 'results.json')
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    node: process.version,
    platform: process.platform,
  }
  mkdirSync(cacheDir, { recursive: true })
  writeFileSync(file, JSON.stringify({ at: new Date().toISOString(), machine, options, rows }, null, 2))
  return file
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
