import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import * as path from 'node:path'
import type { Cost } from '../../core/cost.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Log } from '../../ports/log.ts'
import type { Report, RunEnd } from '../../runners/schema.ts'

/** What a claim has still to say: reports that were not acknowledged, in their order, and how its run ended. */
type Outcome = {
  taskId: string
  fence: number
  reports: readonly Omit<Report, 'fence'>[]
  end: RunEnd
  cost?: Cost | undefined
  attemptCost?: Cost | undefined
}

const ENDING = '.json'
/** Of a file that is no outcome: it stays, to be looked at. */
const UNREADABLE = '.unreadable'

/**
 * The outcomes of a runner that the service has not acknowledged, one file each: they outlive the runner. A file is whole
 * or absent.
 */
export const openOutcomes = (folder: string, log: Log) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fileOf = ({ taskId, fence }: Pick<Outcome, 'taskId' | 'fence'>) =>
    path.join(folder, `${taskId}.${fence}${ENDING}`)

  const sync = async () => {
    await using handle = await open(folder, 'r')
    await handle.sync()
  }
  /** The sync that has not begun: it covers every rename before its begin. */
  let nextSync: Promise<void> | undefined
  let lastSync: Promise<void> = Promise.resolve()
  const syncFolder = (): Promise<void> => {
    if (nextSync === undefined) {
      const begin = () => {
        nextSync = undefined
        return sync()
      }
      nextSync = lastSync.then(begin, begin)
      lastSync = nextSync
    }
    return nextSync
  }

  const read = (name: string): Outcome[] => {
    const file = path.join(folder, name)
    try {
      return [JSON.parse(readFileSync(file, 'utf8')) as Outcome]
    } catch (thrown) {
      log.error({ file, reason: errorMessage(thrown) }, 'an outcome on this disk cannot be read')
      renameSync(file, `${file}${UNREADABLE}`)
      return []
    }
  }

  return {
    /** Resolves when the outcome is on the disk. */
    store: async (outcome: Outcome): Promise<void> => {
      const file = fileOf(outcome)
      const unfinished = `${file}.new`
      {
        await using handle = await open(unfinished, 'w', 0o600)
        await handle.writeFile(JSON.stringify(outcome))
        await handle.datasync()
      }
      await rename(unfinished, file)
      await syncFolder()
    },
    remove: (claim: Pick<Outcome, 'taskId' | 'fence'>): Promise<void> => rm(fileOf(claim), { force: true }),
    /** Those that an earlier process has left. Called before the first is stored. */
    left: (): Outcome[] => {
      const names = readdirSync(folder)
      for (const name of names)
        if (name.endsWith(`${ENDING}.new`)) rmSync(path.join(folder, name), { force: true })
      return names.filter((name) => name.endsWith(ENDING)).flatMap(read)
    },
  }
}
export type Outcomes = ReturnType<typeof openOutcomes>
