import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageStage } from '../../deploy/serverless.ts'
import { firstFile } from '../../deploy/zip.ts'
import { median } from '../quantile.ts'
import { atMost, type Row } from '../row.ts'

const FUNCTIONS = ['tasks', 'queue', 'agents', 'notifications', 'health', 'openapi'] as const
const LIMIT_KB = 250
const LIMIT_MS = 120

/** The bundle of each HTTP function as it is deployed: how large its zip is, and how long a new process imports it. */
export const bundles = ({ rounds }: { rounds: number }): Row[] => {
  const stage = packageStage('dev')
  const folder = mkdtempSync(path.join(tmpdir(), 'bundles-'))
  try {
    return FUNCTIONS.flatMap((name) => {
      const zip = stage.zip(name)
      const file = path.join(folder, `${name}.mjs`)
      writeFileSync(file, firstFile(zip).content)
      // The first one reads the file from the disk, which is not what is measured.
      importMs(file)
      const ours = Array.from({ length: rounds }, () => importMs(file))
      const held = { ours: median(ours), against: LIMIT_MS, rounds: { ours, against: [LIMIT_MS] } }
      return [
        atMost(1, {
          measure: `zip of ${name}`,
          unit: 'kB',
          ours: zip.length / 1_000,
          against: LIMIT_KB,
          opponent: 'limit',
        }),
        atMost(1, { measure: `import of ${name}`, unit: 'ms', opponent: 'limit', ...held }),
      ]
    })
  } finally {
    stage.remove()
    rmSync(folder, { recursive: true })
  }
}

/** Milliseconds that `import` takes in a process that has loaded nothing else. */
const importMs = (file: string): number => {
  const code = `const t = performance.now(); await import('${pathToFileURL(file).href}'); console.log(performance.now() - t)`
  const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' })
  return Number(answer)
}
